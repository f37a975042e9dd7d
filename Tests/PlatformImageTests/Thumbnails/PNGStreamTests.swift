import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Decompressing the image data of a PNG in pieces gives the same pixels, status, warnings and errors as decompressing
/// all data in one call. `usesLeastMemory` makes the decoder decompress small files in pieces too.
@Suite(.requirement("N1")) struct PNGStreamTests {
    static let fixtures = Fixture.all.filter {
        ($0.format == "png" || $0.format == "apng") && !$0.path.hasPrefix("demo")
    }
    static let small = Array(Fixture.small(400).filter { $0.format == "png" }.prefix(24))

    private enum DecodeEnd: Equatable {
        case outcome(FullDecodeModel.Outcome)
        case failure(DecodeError.Code, String)

        init(_ body: () throws(DecodeError) -> FullDecodeModel.Outcome) {
            do throws(DecodeError) { self = .outcome(try body()) } catch { self = .failure(error.code, error.message) }
        }

        var isComplete: Bool {
            if case .outcome(let outcome) = self { outcome.status == .complete } else { false }
        }
    }

    private static func full(_ bytes: [UInt8], _ options: DecodeOptions) throws(DecodeError) -> FullDecodeModel.Outcome
    {
        let image = try ImageDecoder(options: options).decode(bytes)
        return FullDecodeModel.Outcome(
            pixels: image.bitmap.copyBytes(), status: image.status, warnings: image.header.warnings)
    }

    /// Compares streamed decodes (thumbnail and full image) with full decodes, with strictness `lenient` and `corrupt`.
    /// Returns the result of the lenient thumbnail.
    @discardableResult
    private func expectStreamingEqualsFullDecode(_ bytes: [UInt8], _ what: @autoclosure () -> String = "") -> DecodeEnd
    {
        var endings: [DecodeEnd] = []
        for strictness in [DecodeOptions.Strictness.lenient, .corrupt] {
            var options = DecodeOptions.asStored
            options.strictness = strictness
            var least = options
            least.usesLeastMemory = true

            let whole = DecodeEnd { () throws(DecodeError) in
                try FullDecodeModel.decode(bytes, options: options, width: 5, height: 7)
            }
            let streamed = DecodeEnd { () throws(DecodeError) in
                try ShrinkOnLoad.decode(bytes, options: least, width: 5, height: 7)
            }
            if streamed != whole { Issue.record("\(strictness) thumbnail: \(what()): \(streamed), not \(whole)") }
            endings.append(streamed)

            let sourceImage = DecodeEnd { () throws(DecodeError) in try Self.full(bytes, options) }
            let other = DecodeEnd { () throws(DecodeError) in try Self.full(bytes, least) }
            if other != sourceImage { Issue.record("\(strictness) full decode: \(what())") }
        }
        return endings[0]
    }

    @Test(arguments: fixtures) func streamedDecodeOfAFixtureGivesThePixelsOfAFullDecode(_ fixture: Fixture) throws {
        expectStreamingEqualsFullDecode(try fixture.load())
    }

    @Test(arguments: small)
    func streamedDecodeOfATruncatedFileGivesPixelsAndStatusOfAFullDecode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for count in 8..<bytes.count { expectStreamingEqualsFullDecode(Array(bytes.prefix(count)), "cut at \(count)") }
    }

    @Test(arguments: small)
    func streamedDecodeOfAFileWithAFlippedBitGivesPixelsAndStatusOfAFullDecode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for position in 8..<bytes.count {
            var flipped = bytes
            flipped[position] ^= 1 << (position % 8)
            expectStreamingEqualsFullDecode(flipped, "byte \(position)")
        }
    }

    /// Calls the public function with orientation and conversion to sRGB.
    @Test(arguments: fixtures.filter { $0.expect.error == nil })
    func usesLeastMemoryOptionDoesNotChangeAThumbnailWithOrientationAndSRGBConversion(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        var options = DecodeOptions()
        let expected = try ImageDecoder(options: options).thumbnail(of: bytes, options: ThumbnailOptions(width: 9))
        options.usesLeastMemory = true

        let streamed = try ImageDecoder(options: options).thumbnail(of: bytes, options: ThumbnailOptions(width: 9))

        #expect(streamed.bitmap.copyBytes() == expected.bitmap.copyBytes())
        #expect(streamed.status == expected.status && streamed.header.warnings == expected.header.warnings)
    }

    @Test(arguments: Fixture.small(700).filter { $0.format == "png" })
    func cancellingAtAnyPollThrowsCancelled(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        var options = DecodeOptions.asStored
        options.usesLeastMemory = true
        let counter = CancellationFlag()
        _ = try? ShrinkOnLoad.decode(bytes, options: options, width: 3, height: 3, flag: counter)

        for polls in 0..<counter.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try ShrinkOnLoad.decode(bytes, options: options, width: 3, height: 3, flag: flag)
            }
            #expect(error?.code == .cancelled, "at poll \(polls)")
        }
    }

    // Generated streams

    private func png(_ stream: [UInt8], _ content: [UInt8], rowSize: Int, cuts: [Int]) -> [UInt8] {
        let file = FilteredPNG(width: rowSize - 1, height: content.count / rowSize, bitDepth: 8, colorType: 0)
        let zlib = [0x78, 0x01] + stream + FilteredPNG.adler(content)
        let edges = [0] + cuts.map { min($0, zlib.count) }.sorted() + [zlib.count]
        return file.bytes(imageData: zip(edges, edges.dropFirst()).map { Array(zlib[$0..<$1]) })
    }

    @Test(arguments: 0..<20) func streamedDecodeOfRandomDeflateDataEqualsTheFullDecode(_ part: Int) {
        var completed = 0
        for index in 0..<60 {
            let seed = UInt64(part * 1000 + index)
            var random = SplitMix(seed: seed + 1_000_000)
            let rowSize = Int.random(in: 2...40, using: &random)
            let made = RandomDeflate(seed: seed, multipleOf: rowSize)
            var stream = made.writer.bytes
            let cuts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Int.random(in: 0...stream.count + 6, using: &random)
            }
            let ending = expectStreamingEqualsFullDecode(
                png(stream, made.content, rowSize: rowSize, cuts: cuts), "stream \(seed)")
            if ending.isComplete { completed += 1 }

            stream[Int.random(in: stream.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            expectStreamingEqualsFullDecode(
                png(stream, made.content, rowSize: rowSize, cuts: cuts), "flipped stream \(seed)")
            let cut = Array(stream.prefix(Int.random(in: 0..<stream.count, using: &random)))
            expectStreamingEqualsFullDecode(png(cut, made.content, rowSize: rowSize, cuts: cuts), "cut stream \(seed)")
        }
        // At least a third of the streams must be valid, so that pixels are compared.
        #expect(completed >= 20)
    }

    @Test func streamedDecodeOfImageDataSplitIntoIDATChunksAtAnyByteEqualsTheFullDecode() {
        let made = RandomDeflate(seed: 11, multipleOf: 23)
        for cut in 0...made.writer.bytes.count + 6 {
            expectStreamingEqualsFullDecode(
                png(made.writer.bytes, made.content, rowSize: 23, cuts: [cut, cut, cut + 1]), "cut at \(cut)")
        }
    }

    /// libdeflate accepts these invalid codes and zlib rejects them. Whether decoding completes depends on the data
    /// after the invalid code, which is damaged if `isDamagedLater` is true.
    @Test(arguments: ["symbol 286", "distance 30", "unused codeword"], [false, true])
    func streamedDecodeOfDataAcceptedOnlyByLibdeflateEqualsTheFullDecode(_ kind: String, _ isDamagedLater: Bool) {
        var writer = DeflateWriter()
        var content = [UInt8](repeating: 0, count: 60)
        writer.writeStored(content[...], isLast: false)
        switch kind {
        case "symbol 286":
            writer.beginFixed(isLast: false)
            writer.writeFixed(286)
            writer.write(codeword: 0, bits: 5)
            writer.writeFixed(256)
            content += [UInt8](repeating: 0, count: 258)
        case "distance 30":
            content += [UInt8](repeating: 0, count: 30_000)
            writer.writeStored(content[60...], isLast: false)
            writer.beginFixed(isLast: false)
            writer.writeFixed(257)
            writer.write(codeword: 30, bits: 5)
            writer.write(0, bits: 13)
            writer.writeFixed(256)
            content += [0, 0, 0]
        default:
            writer.beginDynamic(isLast: false, literals: [Int](repeating: 0, count: 256) + [1], distances: [1])
            writer.write(1, bits: 1)
        }
        let rest = 20 - content.count % 20 + 400
        content += [UInt8](repeating: 1, count: rest)
        writer.writeStored(content.suffix(rest), isLast: true, complement: isDamagedLater ? 0 : nil)

        let ending = expectStreamingEqualsFullDecode(png(writer.bytes, content, rowSize: 20, cuts: [30]))

        #expect(ending.isComplete != isDamagedLater)
    }
}
