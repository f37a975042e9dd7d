import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct EmbeddedThumbnailTests {
    private func thumbnail(
        in bytes: [UInt8], _ width: Int, _ height: Int, _ options: DecodeOptions = DecodeOptions()
    ) throws -> EmbeddedThumbnail? {
        let source = try SourceImage(bytes.span, declared: nil, options: options, resamples: true)
        return source.embeddedThumbnail(in: bytes.span, width: width, height: height)
    }

    /// The pixels of the thumbnail, resampled to `width` x `height` pixels.
    private func shrink(
        _ found: EmbeddedThumbnail, in bytes: [UInt8], width: Int, height: Int
    ) throws(DecodeError) -> [UInt8] {
        var source = found.source
        let (sourceWidth, sourceHeight) = source.pixelSize(orientedBy: .up)
        let request = ResampleRequest(
            sourceWidth: sourceWidth, sourceHeight: sourceHeight, width: width, height: height, filter: .lanczos3)
        guard let small = PixelStorage(byteCount: width * height * 4, zeroed: false) else { return [] }
        try source.decode(bytes.span.extracting(found.range), resampledBy: request, into: small, nil)
        return small.withBytes { [UInt8]($0) }
    }

    @Test func thumbnailWithTheAspectRatioOfTheImageIsFound() throws {
        let image = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = CameraFile.jpeg(image, with: image)

        let found = try #require(try thumbnail(in: bytes, 720, 540))

        #expect(Array(bytes[found.range]) == image)
        #expect(found.source.header.width == 720 && found.source.header.height == 540)
        let expected = try FullDecodeModel.decode(image, width: 32, height: 24)
        #expect(try shrink(found, in: bytes, width: 32, height: 24) == expected.pixels)
    }

    @Test func thumbnailSmallerThanRequestedIsIgnored() throws {
        let image = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = CameraFile.jpeg(image, with: image)

        #expect(try thumbnail(in: bytes, 721, 1) == nil)
        #expect(try thumbnail(in: bytes, 1, 541) == nil)
    }

    @Test func thumbnailWithAnotherAspectRatioThanTheImageIsIgnored() throws {
        let bytes = CameraFile.jpeg(
            try Fixture.file("demo/mountains.jpg"), with: try Fixture.file("demo/aurora-progressive.jpg"))

        #expect(try thumbnail(in: bytes, 1, 1) == nil)
    }

    @Test func thumbnailWithoutAValidJPEGHeaderIsIgnored() throws {
        let image = try Fixture.file("demo/aurora-progressive.jpg")
        for other in [try Fixture.file("demo/chart.png"), [0xFF, 0xD8, 0xFF], [1, 2, 3], Array(image[..<100])] {
            let bytes = CameraFile.jpeg(image, with: other)
            #expect(try thumbnail(in: bytes, 1, 1) == nil)
        }
    }

    @Test func decodingATruncatedEmbeddedThumbnailThrowsTruncated() throws {
        let image = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = CameraFile.jpeg(image, with: Array(image[..<20_000]))
        let found = try #require(try thumbnail(in: bytes, 1, 1))

        let error = #expect(throws: DecodeError.self) { try shrink(found, in: bytes, width: 8, height: 6) }

        #expect(error?.code == .truncated)
    }

    /// A JPEG thumbnail has no alpha, so it would show the colors of transparent pixels.
    @Test func thumbnailOfAnImageWithAlphaIsIgnored() throws {
        let (opaque, glass) = (try Fixture.file("png/gray8.png"), try Fixture.file("png/gray-alpha8.png"))
        let header = try ImageDecoder().header(of: opaque)
        let gray = try ImageEncoder().encode(try ImageDecoder().decode(opaque).bitmap, as: .jpeg)
        #expect(try ImageDecoder().header(of: gray).colorModel == .gray && header.colorModel == .gray)

        let found = try thumbnail(in: CameraFile.png(opaque, with: gray), header.width, header.height)

        #expect(found != nil)
        let none = try thumbnail(in: CameraFile.png(glass, with: gray), 1, 1)
        #expect(none == nil)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error == nil && $0.bytes < 1000 })
    func embeddedThumbnailOfAFileWithoutAnEXIFThumbnailIsNil(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        #expect(try thumbnail(in: bytes, 1, 1) == nil)
    }
}
