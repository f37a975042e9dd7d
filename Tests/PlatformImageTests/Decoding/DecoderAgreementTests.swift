import PlatformImage
import PlatformImageBenchmarking
import PlatformImageTestSupport
import Testing

/// The native decoders return the same bytes as libpng, libjpeg, libtiff and the LZW of giflib for every file; WebP,
/// which is decoded in pieces, gives the bytes that libwebp decodes at once.
@Suite struct DecoderAgreementTests {
    @Test(arguments: Fixture.all.filter { $0.format != "bmp" })
    func nativeAndLibraryDecodersAgreeOnEveryFixtureExceptBMP(_ fixture: Fixture) throws {
        let outcome = DecoderAgreement.check(try fixture.load())

        if case .differs(let what) = outcome { Issue.record("\(what)") }
        // For an intact file, at least one image is compared. Exceptions are the files that giflib rejects: those
        // without a palette and those with an LZW code size above 8.
        let isIntact = fixture.expect.error == nil && (fixture.status ?? "complete") == "complete"
        let isWide = ["9", "10", "11"].contains { fixture.path.hasPrefix("gif/lzw-minimum-\($0)") }
        if isIntact, fixture.path != "gif/palette-none.gif", !isWide, case .agrees(let pictures) = outcome {
            #expect(pictures > 0)
        }
    }

    @Test(arguments: Fixture.small(400).filter { $0.format == "png" }.prefix(24))
    func nativeAndLibraryDecodersAgreeOnTruncatedPNG(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for count in 8..<bytes.count {
            if case .differs(let what) = DecoderAgreement.check(Array(bytes.prefix(count))) {
                Issue.record("cut at \(count): \(what)")
            }
        }
    }

    @Test(arguments: Fixture.small(400).filter { $0.format == "png" }.prefix(24))
    func nativeAndLibraryDecodersAgreeOnPNGWithAFlippedBit(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for position in 8..<bytes.count {
            var flipped = bytes
            flipped[position] ^= 1 << (position % 8)
            if case .differs(let what) = DecoderAgreement.check(flipped) {
                Issue.record("bit \(position % 8) of byte \(position): \(what)")
            }
        }
    }

    @Test(arguments: Fixture.small(600).filter { $0.format == "gif" }.prefix(24))
    func nativeAndLibraryDecodersAgreeOnFramesOfDamagedGIF(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for position in 6..<bytes.count {
            var flipped = bytes
            flipped[position] ^= 1 << (position % 8)
            for damaged in [Array(bytes.prefix(position)), flipped] {
                if case .differs(let what) = DecoderAgreement.check(damaged) {
                    Issue.record("byte \(position), \(damaged.count) bytes: \(what)")
                }
            }
        }
    }

    // Frames without the alpha bit whose pixels have an alpha below 255 are opaque here, but not in libwebpdemux.
    @Test(arguments: Fixture.small(400).filter { $0.format == "webp" && $0.animation == nil }.prefix(24))
    func stillWebPWithAFlippedBitHasThePixelsOfLibwebp(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for position in 4..<bytes.count {
            var flipped = bytes
            flipped[position] ^= 1 << (position % 8)
            if case .differs(let what) = DecoderAgreement.check(flipped) {
                Issue.record("bit \(position % 8) of byte \(position): \(what)")
            }
        }
    }

    @Test func nativeAndLibraryDecodersReportTheSameStatusForATruncatedPNG() throws {
        let bytes = try Fixture.named("png/rgb8.png").load()
        var options = DecodeOptions.asStored

        let quick = try ImageDecoder(options: options).decode(Array(bytes.dropLast(40))).status
        options.usesLibrariesAlone = true
        let plain = try ImageDecoder(options: options).decode(Array(bytes.dropLast(40))).status

        #expect(quick == plain && plain != .complete)
    }
}
