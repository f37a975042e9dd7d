import PlatformImage
import PlatformImageBenchmarking
import PlatformImageTestSupport
import Testing

/// Our own ways of decoding against libpng, libjpeg and libtiff alone and giflib's LZW: equal bytes, whatever the file.
@Suite struct DecoderAgreementTests {
    @Test(arguments: Fixture.all.filter { $0.format != "bmp" })
    func bothWaysGiveTheSame(_ fixture: Fixture) throws {
        let outcome = DecoderAgreement.check(try fixture.load())

        if case .differs(let what) = outcome { Issue.record("\(what)") }
        // Intact pictures are really compared; giflib gives up on those without a palette and on code sizes above 8.
        let isIntact = fixture.expect.error == nil && (fixture.status ?? "complete") == "complete"
        let isWide = ["9", "10", "11"].contains { fixture.path.hasPrefix("gif/lzw-minimum-\($0)") }
        if isIntact, fixture.path != "gif/palette-none.gif", !isWide, case .agrees(let pictures) = outcome {
            #expect(pictures > 0)
        }
    }

    @Test(arguments: Fixture.small(400).filter { $0.format == "png" }.prefix(24))
    func bothWaysGiveTheSameOfACutPNG(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for count in 8..<bytes.count {
            if case .differs(let what) = DecoderAgreement.check(Array(bytes.prefix(count))) {
                Issue.record("cut at \(count): \(what)")
            }
        }
    }

    @Test(arguments: Fixture.small(400).filter { $0.format == "png" }.prefix(24))
    func bothWaysGiveTheSameOfAFlippedPNG(_ fixture: Fixture) throws {
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
    func noFrameOfACutOrFlippedGIFHasOtherPixels(_ fixture: Fixture) throws {
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

    @Test func aCutIsSeenByBothWaysAtTheSameRow() throws {
        let bytes = try Fixture.named("png/rgb8.png").load()
        var options = DecodeOptions.asStored

        let quick = try ImageDecoder(options: options).decode(Array(bytes.dropLast(40))).status
        options.usesLibrariesAlone = true
        let plain = try ImageDecoder(options: options).decode(Array(bytes.dropLast(40))).status

        #expect(quick == plain && plain != .complete)
    }
}
