import TestSupport
import Testing

@testable import PlatformImage

@Suite struct EmbeddedThumbnailTests {
    /// A JPEG with an EXIF block whose IFD1 names `thumbnail` (EXIF 2.32, 4.5.5).
    private func file(_ picture: [UInt8], with thumbnail: [UInt8]) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        func entry(_ tag: Int, _ value: Int) -> [UInt8] {
            little(tag, 2) + little(4, 2) + little(1, 4) + little(value, 4)
        }
        // Header, an empty IFD0 that leads to IFD1, IFD1 with offset and length, the thumbnail.
        let start = 8 + 6 + 2 + 24 + 4
        var block: [UInt8] = Array("II".utf8) + little(42, 2) + little(8, 4)
        block += little(0, 2) + little(14, 4)
        block += little(2, 2) + entry(513, start) + entry(514, thumbnail.count) + little(0, 4) + thumbnail
        let segment = Array("Exif\0\0".utf8) + block
        let length = segment.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + segment + picture[2...]
    }

    private func thumbnail(
        in bytes: [UInt8], _ width: Int, _ height: Int, _ options: DecodeOptions = DecodeOptions()
    ) throws -> EmbeddedThumbnail? {
        let source = try SourceImage(bytes.span, declared: nil, options: options, resamples: true)
        return source.embeddedThumbnail(in: bytes.span, width: width, height: height)
    }

    /// The thumbnail shrunk to `width * height`.
    private func shrink(
        _ found: EmbeddedThumbnail, in bytes: [UInt8], width: Int, height: Int
    ) throws(DecodeError) -> [UInt8] {
        var source = found.source
        let (sourceWidth, sourceHeight) = source.pixelSize(turnedBy: .up)
        let request = ResampleRequest(
            sourceWidth: sourceWidth, sourceHeight: sourceHeight, width: width, height: height, filter: .lanczos3)
        guard let small = PixelStorage(byteCount: width * height * 4, zeroed: false) else { return [] }
        try source.decode(bytes.span.extracting(found.range), resampledBy: request, into: small, nil)
        return small.withBytes { [UInt8]($0) }
    }

    @Test func aThumbnailOfTheSameShapeIsFound() throws {
        let picture = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = file(picture, with: picture)

        let found = try #require(try thumbnail(in: bytes, 720, 540))

        #expect(Array(bytes[found.range]) == picture)
        #expect(found.source.header.width == 720 && found.source.header.height == 540)
        let expected = try FullDecodeModel.decode(picture, width: 32, height: 24)
        #expect(try shrink(found, in: bytes, width: 32, height: 24) == expected.pixels)
    }

    @Test func aThumbnailThatIsTooSmallIsNot() throws {
        let picture = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = file(picture, with: picture)

        #expect(try thumbnail(in: bytes, 721, 1) == nil)
        #expect(try thumbnail(in: bytes, 1, 541) == nil)
    }

    @Test func aThumbnailOfAnotherShapeIsNotThePicture() throws {
        let bytes = file(
            try Fixture.file("demo/mountains.jpg"), with: try Fixture.file("demo/aurora-progressive.jpg"))

        #expect(try thumbnail(in: bytes, 1, 1) == nil)
    }

    @Test func whatIsNoWholeJPEGIsNoThumbnail() throws {
        let picture = try Fixture.file("demo/aurora-progressive.jpg")
        for other in [try Fixture.file("demo/chart.png"), [0xFF, 0xD8, 0xFF], [1, 2, 3], Array(picture[..<100])] {
            let bytes = file(picture, with: other)
            #expect(try thumbnail(in: bytes, 1, 1) == nil)
        }
    }

    @Test func aThumbnailThatEndsEarlyThrows() throws {
        let picture = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = file(picture, with: Array(picture[..<20_000]))
        let found = try #require(try thumbnail(in: bytes, 1, 1))

        let error = #expect(throws: DecodeError.self) { try shrink(found, in: bytes, width: 8, height: 6) }

        #expect(error?.code == .truncated)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error == nil && $0.bytes < 1000 })
    func otherFilesHaveNone(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        #expect(try thumbnail(in: bytes, 1, 1) == nil)
    }
}
