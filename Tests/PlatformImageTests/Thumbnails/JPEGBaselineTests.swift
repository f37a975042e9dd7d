import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// The native decoder of baseline JPEGs at 1/4 and 1/8 returns the result of libjpeg for intact and damaged files.
@Suite struct JPEGBaselineTests {
    private typealias DecodeResult = Result<FullDecodeModel.Outcome, DecodeError>

    private func options(_ denominator: Int, libraries: Bool) -> DecodeOptions {
        var options = DecodeOptions.asStored
        options.scaleDenominator = denominator
        options.usesLibrariesAlone = libraries
        return options
    }

    /// The result of a decode into a bitmap or, with `shrinks`, into a resampler.
    private func decodeResult(_ bytes: [UInt8], _ options: DecodeOptions, shrinks: Bool) -> DecodeResult {
        Result { () throws(DecodeError) in
            if shrinks { return try ShrinkOnLoad.decode(bytes, options: options, width: 5, height: 3) }
            let image = try ImageDecoder(options: options).decode(bytes)
            return FullDecodeModel.Outcome(
                pixels: image.bitmap.copyBytes(), status: image.status, warnings: image.header.warnings)
        }
    }

    private func expectEqual(_ bytes: [UInt8], _ name: @autoclosure () -> String) {
        for denominator in [4, 8] {
            for shrinks in [false, true] {
                let own = decodeResult(bytes, options(denominator, libraries: false), shrinks: shrinks)
                let library = decodeResult(bytes, options(denominator, libraries: true), shrinks: shrinks)
                #expect(own == library, "\(name()) at 1/\(denominator), shrinks: \(shrinks)")
            }
        }
    }

    private func encoded(
        _ sample: SampleImage, _ width: Int, _ height: Int, quality: Int, _ chroma: ChromaSubsampling
    ) throws -> [UInt8] {
        var options = EncodeOptions()
        options.jpeg.quality = quality
        options.jpeg.chromaSubsampling = chroma
        return try ImageEncoder(options: options).encode(sample.bitmap(width, height), as: .jpeg)
    }

    @Test(arguments: Fixture.all.filter { $0.format == "jpeg" })
    func everyJPEGFixtureDecodesLikeLibjpeg(_ fixture: Fixture) throws {
        expectEqual(try fixture.load(), fixture.path)
    }

    @Test(arguments: [ChromaSubsampling.ratio420, .ratio422, .ratio444], [1, 70, 100])
    func encodedImagesOfUpTo40PixelsPerSideDecodeLikeLibjpeg(_ chroma: ChromaSubsampling, _ quality: Int) throws {
        for width in 1...40 {
            let sample = [SampleImage.opaqueNoise, .grayNoise, .oneColor, .gradient][width % 4]
            let bytes = try encoded(sample, width, 1 + width * 7 % 40, quality: quality, chroma)
            expectEqual(bytes, "\(sample) \(width)")
        }
    }

    @Test(arguments: [ChromaSubsampling.ratio420, .ratio444])
    func truncatedFilesDecodeLikeLibjpeg(_ chroma: ChromaSubsampling) throws {
        let bytes = try encoded(.opaqueNoise, 70, 40, quality: 15, chroma)
        for count in stride(from: 2, to: bytes.count, by: 3) { expectEqual(Array(bytes[..<count]), "cut to \(count)") }
    }

    /// Some of the files have restart markers.
    @Test(arguments: ["restart-1", "restart-3", "sampling-420", "huffman-long-codes", "gray", "quant-16-bit"])
    func filesWithAChangedByteDecodeLikeLibjpeg(_ name: String) throws {
        let bytes = try Fixture.file("jpeg/\(name).jpg")
        for at in stride(from: 2, to: bytes.count, by: max(1, bytes.count / 400)) {
            var changed = bytes
            changed[at] = at % 2 == 0 ? 0xFF : changed[at] ^ 0x28
            expectEqual(changed, "byte \(at)")
        }
    }

    /// An image large enough for the decoder to skip several codes at a time.
    private func manyBlocks(_ sample: SampleImage, _ quality: Int, _ chroma: ChromaSubsampling) throws -> [UInt8] {
        try encoded(sample, chroma == .ratio420 ? 730 : 370, chroma == .ratio420 ? 715 : 365, quality: quality, chroma)
    }

    @Test(arguments: [SampleImage.opaqueNoise, .grayNoise, .gradient], [1, 12, 60, 90, 100])
    func decodingWithSkippedCoefficientsGivesThePixelsOfLibjpeg(_ sample: SampleImage, _ quality: Int) throws {
        for chroma in [ChromaSubsampling.ratio420, .ratio444] {
            expectEqual(try manyBlocks(sample, quality, chroma), "\(sample) at \(quality)")
        }
    }

    /// The last case has four blocks per MCU for each of three components: 12 blocks, and the maximum is 10 (ITU-T
    /// T.81, B.2.3).
    @Test(arguments: [[0x11, 0x11, 0x11], [0x22, 0x11, 0x11], [0x22, 0x22, 0x11], [0x22, 0x22, 0x22]] as [[UInt8]])
    func unusualSamplingFactorsDecodeLikeLibjpeg(_ factors: [UInt8]) throws {
        var bytes = try manyBlocks(.opaqueNoise, 50, .ratio444)
        let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        for (index, factor) in factors.enumerated() { bytes[frame + 11 + index * 3] = factor }
        // 800 x 800 is large enough for the decoder to skip codes.
        bytes.replaceSubrange((frame + 5)..<(frame + 9), with: [3, 32, 3, 32])
        expectEqual(bytes, "\(factors)")
    }

    @Test(arguments: [12, 60, 98])
    func decodingWithSkippedCoefficientsReportsDamageLikeLibjpeg(_ quality: Int) throws {
        let bytes = try manyBlocks(.opaqueNoise, quality, .ratio420)
        var random = SplitMix(seed: UInt64(quality))
        for round in 0..<40 {
            var changed = bytes
            let at = Int.random(in: 600..<bytes.count, using: &random)
            switch round % 3 {
            case 0: changed = Array(bytes[..<at])
            case 1: changed[at] ^= 1 << UInt8(round % 8)
            default: changed[at] = 0xFF
            }
            let own = decodeResult(changed, options(8, libraries: false), shrinks: false)
            #expect(
                own == decodeResult(changed, options(8, libraries: true), shrinks: false), "round \(round) at \(at)")
        }
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        let bytes = try encoded(.gradient, 300, 900, quality: 80, .ratio420)
        var polls = 0
        while true {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let ending = Result { () throws(DecodeError) in
                try ShrinkOnLoad.decode(
                    bytes, options: options(4, libraries: false), width: 9, height: 27, flag: flag)
            }
            guard case .failure(let error) = ending else { break }
            #expect(error.code == .cancelled)
            polls += 1
        }
        // 225 rows, with one poll per 16 rows.
        #expect(polls >= 15)
    }
}
