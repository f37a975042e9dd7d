import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Thumbnails with the quality `draft`, decoded at 1/8. With 4:2:0 subsampling the chroma samples are also decoded at
/// 1/8, so four pixels share one chroma value.
@Suite struct DraftChromaTests {
    /// 92 x 90 pixels at 1/8, which are enough blocks for the decoder to skip coefficients.
    private let width = 736
    private let height = 720

    private func encoded(
        _ sample: SampleImage, _ chroma: ChromaSubsampling = .ratio420, quality: Int = 90
    ) throws -> [UInt8] {
        var options = EncodeOptions()
        options.jpeg.quality = quality
        options.jpeg.chromaSubsampling = chroma
        return try ImageEncoder(options: options).encode(sample.bitmap(width, height), as: .jpeg)
    }

    private func decode(
        _ bytes: [UInt8], _ quality: ThumbnailQuality, denominator: Int = 8
    ) throws(DecodeError) -> FullDecodeModel.Outcome {
        var options = DecodeOptions.asStored
        options.scaleDenominator = denominator
        return try ShrinkOnLoad.decode(
            bytes, options: options, width: width / denominator, height: height / denominator, quality: quality)
    }

    private struct YCC {
        let y, cb, cr: Double

        init(_ pixels: [UInt8], _ pixel: Int) {
            let (r, g, b) = (Double(pixels[pixel * 4]), Double(pixels[pixel * 4 + 1]), Double(pixels[pixel * 4 + 2]))
            y = 0.299 * r + 0.587 * g + 0.114 * b
            cb = (b - y) / 1.772
            cr = (r - y) / 1.402
        }
    }

    private func isInside(_ pixels: [UInt8], _ pixel: Int) -> Bool {
        pixels[(pixel * 4)..<(pixel * 4 + 3)].allSatisfy { $0 > 0 && $0 < 255 }
    }

    /// Four pixels share one chroma value, the mean of the four values that libjpeg returns, and have separate
    /// luma. Compares only pixels without clipping at 0 or 255, because clipped colors do not give luma and chroma.
    @Test func draftQualityGivesEachGroupOfFourPixelsItsMeanChroma() throws {
        let bytes = try encoded(.gradient)
        let (draft, whole) = (try decode(bytes, .draft).pixels, try decode(bytes, .exact).pixels)
        let across = width / 8
        var looked = 0
        for y in stride(from: 0, to: height / 8, by: 2) {
            for x in stride(from: 0, to: across, by: 2) {
                let places = [y * across + x, y * across + x + 1, (y + 1) * across + x, (y + 1) * across + x + 1]
                guard places.allSatisfy({ isInside(draft, $0) && isInside(whole, $0) }) else { continue }
                looked += 1
                let (own, library) = (places.map { YCC(draft, $0) }, places.map { YCC(whole, $0) })
                let mean = (cb: library.map(\.cb).reduce(0, +) / 4, cr: library.map(\.cr).reduce(0, +) / 4)
                for (own, library) in zip(own, library) {
                    #expect(abs(own.y - library.y) <= 2, "luma at \(x), \(y)")
                    #expect(abs(own.cb - mean.cb) <= 3 && abs(own.cr - mean.cr) <= 3, "chroma at \(x), \(y)")
                }
            }
        }
        #expect(looked > 500)
    }

    /// At 1/4 a block becomes 2 x 2 samples. The coefficients that a draft omits change the differences between these
    /// samples, and not their sum; a gradient has almost none of them.
    @Test(arguments: [ChromaSubsampling.ratio420, .ratio444])
    func draftQualityAtOneQuarterScaleKeepsTheMeanOfEachBlock(_ chroma: ChromaSubsampling) throws {
        let smooth = try encoded(.gradient, chroma)
        let (draft, whole) = (
            try decode(smooth, .draft, denominator: 4).pixels, try decode(smooth, .exact, denominator: 4).pixels
        )
        let differences = zip(draft, whole).map { abs(Int($0) - Int($1)) }
        #expect(differences.reduce(0, +) < differences.count)
        let noise = try encoded(.grayNoise, chroma)
        let (draftNoise, wholeNoise) = (
            try decode(noise, .draft, denominator: 4).pixels, try decode(noise, .exact, denominator: 4).pixels
        )
        #expect(draftNoise != wholeNoise)
        let across = width / 4
        var looked = 0
        for y in stride(from: 0, to: height / 4, by: 2) {
            for x in stride(from: 0, to: across, by: 2) {
                let places = [y * across + x, y * across + x + 1, (y + 1) * across + x, (y + 1) * across + x + 1]
                guard places.allSatisfy({ isInside(draftNoise, $0) && isInside(wholeNoise, $0) }) else { continue }
                looked += 1
                let sums = [draftNoise, wholeNoise].map { pixels in places.map { Int(pixels[$0 * 4]) }.reduce(0, +) }
                #expect(abs(sums[0] - sums[1]) <= 8, "block at \(x), \(y)")
            }
        }
        #expect(looked > 100)
    }

    @Test func uniformChromaIsUnchangedAtDraftQuality() throws {
        for sample in [SampleImage.grayNoise, .oneColor] {
            let bytes = try encoded(sample, quality: 60)
            #expect(try decode(bytes, .draft) == decode(bytes, .exact), "\(sample)")
        }
    }

    @Test func draftQualityDiffersFromExactOnlyFor420SubsamplingAtOneEighthScale() throws {
        let halved = try encoded(.opaqueNoise)
        #expect(try decode(halved, .draft).pixels != decode(halved, .exact).pixels)
        for quality in [ThumbnailQuality.fast, .balanced] {
            #expect(try decode(halved, quality) == decode(halved, .exact), "\(quality)")
        }
        for chroma in [ChromaSubsampling.ratio422, .ratio444] {
            let bytes = try encoded(.opaqueNoise, chroma)
            #expect(try decode(bytes, .draft) == decode(bytes, .exact), "\(chroma)")
        }
    }

    @Test func draftQualityWithChromaDetailSkipsOnlyHighFrequencies() throws {
        let halved = try encoded(.opaqueNoise)
        var options = ThumbnailOptions(width: width / 8, height: height / 8)
        options.quality = .draft
        let shared = try ImageDecoder(options: .asStored).thumbnail(of: halved, options: options)
        options.keepsChromaDetail = true
        let own = try ImageDecoder(options: .asStored).thumbnail(of: halved, options: options)
        #expect(try own.bitmap.copyBytes() != decode(halved, .exact).pixels)
        #expect(try shared.bitmap.copyBytes() == decode(halved, .draft).pixels)
        #expect(own.bitmap.copyBytes() != shared.bitmap.copyBytes())
    }

    /// 92 x 90 decoded pixels are at least eight times 11 x 11, and less than eight times 12 x 12.
    @Test(arguments: [(11, true), (12, false)])
    func chromaDetailIsSkippedOnlyForResultsOfAnEighthOfTheDecodedSize(_ side: Int, _ isSkipped: Bool) throws {
        let bytes = try encoded(.opaqueNoise)
        var options = ThumbnailOptions(width: side, height: side, fit: .fill)
        options.quality = .draft
        let skipped = try ImageDecoder(options: .asStored).thumbnail(of: bytes, options: options)
        options.keepsChromaDetail = true
        let made = try ImageDecoder(options: .asStored).thumbnail(of: bytes, options: options)
        #expect((made.bitmap == skipped.bitmap) == isSkipped)
    }

    @Test func draftQualityReportsTheSameDamageAsExactQuality() throws {
        let bytes = try encoded(.opaqueNoise, quality: 50)
        var random = SplitMix(seed: 8)
        for round in 0..<40 {
            var changed = bytes
            let at = Int.random(in: 600..<bytes.count, using: &random)
            if round % 2 == 0 { changed = Array(bytes[..<at]) } else { changed[at] = 0xFF }
            let draft = Result { () throws(DecodeError) in try decode(changed, .draft) }
            let whole = Result { () throws(DecodeError) in try decode(changed, .exact) }
            switch (draft, whole) {
            case (.success(let draft), .success(let whole)):
                #expect(draft.status == whole.status && draft.warnings == whole.warnings, "round \(round)")
            case (.failure(let draft), .failure(let whole)): #expect(draft.code == whole.code, "round \(round)")
            default: Issue.record("round \(round), damage at byte \(at): draft \(draft), exact \(whole)")
            }
        }
    }
}
