import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct DecodeOptionTests {
    private func anyFixture(_ format: String) throws -> Fixture {
        try #require(
            Fixture.all.first {
                $0.format == format && $0.expect.error == nil && ($0.status ?? "complete") == "complete"
            })
    }

    @Test func mismatchedDeclaredContentTypeIsReportedByDefault() throws {
        let bytes = try anyFixture("png").load()

        let image = try ImageDecoder().decode(bytes, as: .jpeg)

        #expect(image.header.format == .png)
        #expect(image.header.declaredContentType == .jpeg)
        #expect(!image.header.matchesDeclaredContentType)
    }

    @Test func mismatchedDeclaredContentTypeThrowsWithTheRequiresMatchingContentTypeOption() throws {
        let bytes = try anyFixture("gif").load()
        var decoder = ImageDecoder()
        decoder.options.requiresMatchingContentType = true

        let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes, as: .png) }

        #expect(error?.code == .contentTypeMismatch)
        #expect(try decoder.decode(bytes, as: .gif).header.format == .gif)
        #expect(try decoder.decode(bytes, as: .octetStream).header.declaredContentType == nil)
        #expect(try decoder.decode(bytes).header.format == .gif)
    }

    @Test func declaredContentTypeSelectsTheCodecWhenNoSignatureMatches() {
        let error = #expect(throws: DecodeError.self) {
            try ImageDecoder().decode([1, 2, 3, 4, 5, 6, 7, 8], as: .png)
        }
        #expect(error?.code != .unknownFormat)
        #expect(error?.format == .png)
    }

    @Test(arguments: [1, 2, 4, 8])
    func jpegWithAScaleDenominatorIsDecodedAtTheReducedSize(denominator: Int) throws {
        let fixture = try #require(
            Fixture.all.first { $0.path.hasPrefix("demo/") && $0.format == "jpeg" && ($0.orientation ?? 1) == 1 })
        var decoder = ImageDecoder(options: .asStored)
        decoder.options.scaleDenominator = denominator

        let image = try decoder.decode(fixture.load())

        let (width, height) = (try #require(fixture.width), try #require(fixture.height))
        #expect(image.bitmap.width == (width + denominator - 1) / denominator)
        #expect(image.bitmap.height == (height + denominator - 1) / denominator)
        #expect(image.status == .complete)
    }

    @Test func orientationMovesPixelsAsEXIFSpecifies() throws {
        for fixture in Fixture.all where fixture.display != nil && (fixture.orientation ?? 1) > 1 {
            let bytes = try fixture.load()
            let stored = try ImageDecoder(options: .asStored).decode(bytes).bitmap
            var decoder = ImageDecoder()
            decoder.options.convertsToSRGB = false
            let upright = try decoder.decode(bytes).bitmap
            let (w, h) = (stored.width, stored.height)
            let orientation = try #require(Orientation(rawValue: UInt8(fixture.orientation ?? 1)))
            for y in stride(from: 0, to: h, by: max(1, h / 16)) {
                for x in stride(from: 0, to: w, by: max(1, w / 16)) {
                    let (shownX, shownY) =
                        switch orientation {
                        case .up: (x, y)
                        case .upMirrored: (w - 1 - x, y)
                        case .down: (w - 1 - x, h - 1 - y)
                        case .downMirrored: (x, h - 1 - y)
                        case .leftMirrored: (y, x)
                        case .right: (h - 1 - y, x)
                        case .rightMirrored: (h - 1 - y, w - 1 - x)
                        case .left: (y, w - 1 - x)
                        }
                    #expect(upright[shownX, shownY] == stored[x, y], "\(fixture)")
                }
            }
        }
    }

    @Test func decodingAPageThatDoesNotExistThrows() throws {
        let bytes = try anyFixture("tiff").load()
        var decoder = ImageDecoder()
        decoder.options.page = 500

        #expect(throws: DecodeError.self) { try decoder.decode(bytes) }
    }

    @Test func strictnessLevelsAreOrderedFromLenientToWarning() {
        let ladder: [DecodeOptions.Strictness] = [.lenient, .truncated, .corrupt, .warning]
        #expect(ladder == ladder.sorted())
    }
}
