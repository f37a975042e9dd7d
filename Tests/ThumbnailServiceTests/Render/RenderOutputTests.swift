import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage
@testable import PlatformImageService

@Suite struct RenderOutputTests {
    private let renderer = Renderer()

    @Test(arguments: [1, 500, 900, 1500, 2200, 3000, 4000, 1_000_000], [80, 95, 30, 11, 10, 5])
    func byteLimitLowersTheQualityInAtMostSixEncodes(_ maxBytes: Int, _ quality: Int) throws {
        let sourceImage = Bitmap.landscape(96, 64)
        let encoding = ResultEncoding()

        let file = try encoding.file(
            of: sourceImage, as: .jpeg, quality: quality, maxBytes: maxBytes, cancellation: nil)

        let found = try #require(file.quality)
        #expect(file.encodes <= 6)
        let sizes = try (1...95).map { quality in
            var options = EncodeOptions()
            options.jpeg.quality = quality
            return try ImageEncoder(options: options).encode(sourceImage, as: .jpeg).count
        }
        #expect(file.bytes.count == sizes[found - 1])
        if sizes[quality - 1] <= maxBytes || quality <= 10 {
            #expect(found == quality && file.encodes == 1)
        } else if sizes[9] > maxBytes {
            #expect(found == 10)
        } else {
            #expect(file.bytes.count <= maxBytes)
            // A binary search of four or five steps over 85 qualities finds a quality at most 6 below the best one.
            #expect(sizes[min(quality, found + 6) - 1] > maxBytes)
        }
    }

    @Test func rendersOfEqualRequestsHaveEqualBytes() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")

        let first = try renderer.render(bytes, .cover(40, 30))
        let second = try Renderer().render(bytes, .cover(40, 30))

        #expect(first.bytes == second.bytes)
    }

    /// The small effort with a quality that is higher by 1 needs four times the pixels, and no JPEG.
    @Test(
        .enabled(if: EncodedFormat.webp.isAvailable),
        arguments: [
            (ImageFormat.png, 200, 200, true), (.png, 199, 200, false), (.png, 100, 400, true), (.gif, 300, 300, true),
            (.webp, 400, 400, true), (.jpeg, 4000, 4000, false), (.tiff, 99, 100, false),
        ], [1, 80, 99, 100])
    func webPOfALargeSourceThatIsNoJPEGIsEncodedWithTheSmallEffort(
        _ source: (format: ImageFormat, width: Int, height: Int, isSmall: Bool), _ quality: Int
    ) throws {
        let bitmap = Bitmap.landscape(100, 100)
        let header = ImageHeader(
            format: source.format, width: source.width, height: source.height, bitsPerChannel: 8, channelCount: 3,
            colorModel: .rgb, hasAlpha: false)
        let encoding = ResultEncoding().adapted(to: header, width: 100, height: 100)
        let file = try encoding.file(of: bitmap, as: .webp, quality: quality, maxBytes: nil, cancellation: nil)

        var options = EncodeOptions()
        options.webp.quality = source.isSmall ? min(100, quality + 1) : quality
        options.webp.effort = source.isSmall ? .small : .default
        #expect(try file.bytes == ImageEncoder(options: options).encode(bitmap, as: .webp))
        #expect(file.quality == quality)
        let lossless = try encoding.encode(bitmap, .webp, quality: nil, isLossless: true, nil)
        options = EncodeOptions()
        options.webp.isLossless = true
        #expect(try lossless == ImageEncoder(options: options).encode(bitmap, as: .webp))
    }

    /// N30: the WebP of a GIF was larger than the GIF.
    @Test(
        .enabled(if: EncodedFormat.webp.isAvailable), arguments: ["demo/orbit.gif", "demo/ribbons.png"], [1, 80, 100])
    func webPOfAPaletteIsTheSmallerOfLosslessAndLossy(_ name: String, _ quality: Int) throws {
        let bytes = try Fixture.file(name)
        let bitmap = try ImageDecoder().decode(bytes).bitmap
        let isPalette = try ImageDecoder().header(of: bytes).colorModel == .indexed
        var encoder = ImageEncoder()
        encoder.options.webp.quality = quality
        let lossy = try encoder.encode(bitmap, as: .webp)
        encoder.options.webp.isLossless = true
        let lossless = try encoder.encode(bitmap, as: .webp)
        var request = ThumbnailRequest.cover(bitmap.width, bitmap.height)
        request.output = .format(.webp)
        request.output.quality = quality

        let image = try Renderer(keepsAnimations: false).render(bytes, request)

        let isLossless = isPalette && lossless.count <= lossy.count
        #expect(image.bytes == (isLossless ? lossless : lossy))
        #expect(image.quality == (isLossless ? nil : quality))
    }

    /// The lossless file of a pattern of single pixels is far smaller than every lossy one.
    @Test(.enabled(if: EncodedFormat.webp.isAvailable), arguments: [1, 100_000])
    func byteLimitOfAPaletteNeverGivesALargerFileThanTheLosslessOne(_ maxBytes: Int) throws {
        let pattern = Bitmap(width: 200, height: 200) { pixels in
            for at in 0..<200 * 200 * 4 { pixels[at] = at % 4 == 3 || (at / 4 + at / 800) % 2 == 0 ? 255 : 0 }
        }
        var encoding = ResultEncoding()
        encoding.comparesLosslessWebP = true
        let lossless = try encoding.encode(pattern, .webp, quality: nil, isLossless: true, nil)

        let file = try encoding.file(of: pattern, as: .webp, quality: 80, maxBytes: maxBytes, cancellation: nil)

        #expect(file.bytes == lossless)
        #expect(file.quality == nil)
        #expect(file.encodes <= ResultEncoding.maxEncodes)
    }

    @Test func webPOfAPaletteIsLossyWhenTheWorkOfBothFilesExceedsTheLimit() throws {
        let bytes = try Fixture.file("demo/orbit.gif")
        var request = ThumbnailRequest.cover(40, 40)
        request.output = .format(.webp)
        let header = try ImageDecoder().header(of: bytes)
        let plan = try Renderer().prepare(bytes, for: request).plan
        let lossy = RenderWork(request, header, .still(.webp)).nanoseconds(of: plan)
        let both = RenderWork(request, header, .still(.webp), comparesLosslessWebP: true).nanoseconds(of: plan)
        #expect(lossy < both)
        for (limit, isCompared) in [(both, true), (both - 1, false), (lossy, false)] {
            let renderer = Renderer(maxWork: limit, keepsAnimations: false)
            let prepared = try renderer.prepare(bytes, for: request)

            #expect(renderer.comparesLosslessWebP(prepared, plan) == isCompared)
        }
    }

    @Test func renderedImageContainsNoMetadataOfTheSource() throws {
        for path in [
            "jpeg/icc-and-orientation.jpg", "png/exif-orientation-6.png", "png/text.png", "demo/display-p3.png",
        ] {
            let header = try ImageDecoder().header(of: renderer.render(Fixture.file(path), .of()).bytes)

            #expect(header.exifRange == nil && header.iccProfileByteCount == 0 && header.orientation == .up)
        }
    }

    @Test func metadataJSONContainsThumborFieldsAndPropertiesOfTheSource() throws {
        var request = ThumbnailRequest.cover(300, 200)
        request.source = .url("http://example.com/\"a\"\\\u{7}é.jpg")
        request.operations.flipsHorizontally = true
        request.output.kind = .meta(blurHash: true)
        let bytes = try Fixture.file("demo/city-lights-turned.jpg")

        let image = try renderer.render(bytes, request)

        let document = try description(image)
        #expect(document.source.url == "http://example.com/\"a\"\\\u{7}é.jpg")
        #expect((document.source.width, document.source.height) == (420, 600))
        #expect((document.source.orientation, document.source.format) == (6, "jpeg"))
        #expect((document.source.frameCount, document.source.depth, document.source.alpha) == (1, 8, false))
        #expect(document.source.bytes == bytes.count)
        #expect(document.operations.map(\.type) == ["crop", "resize", "flip_horizontally"])
        #expect(document.operations[0].left == 0 && document.operations[0].right == 420)
        #expect(document.operations[0].top == 160 && document.operations[0].bottom == 440)
        #expect((document.operations[1].width, document.operations[1].height) == (300, 200))
        #expect((document.target.width, document.target.height) == (300, 200))
        #expect(document.focalPoints.map(\.origin) == ["alignment"])
        #expect(image.bytes.allSatisfy { (0x20...0x7E).contains($0) })

        request.output = .format(.png)
        let sourceImage = try ImageDecoder().decode(renderer.render(bytes, request).bytes).bitmap
        #expect(document.blurhash == BlurHash(sourceImage).description)
    }

    @Test func metadataJSONOfAnUnchangedImageHasNoOperations() throws {
        var request = ThumbnailRequest.of()
        request.output.kind = .meta(blurHash: false)

        let image = try renderer.render(Fixture.file("gif/frames-40.gif"), request)

        let document = try description(image)
        #expect(document.operations.isEmpty)
        #expect((document.source.frameCount, document.source.url, document.blurhash) == (40, nil, nil))
    }

    private func description(_ image: RenderedImage) throws -> Description.Body {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Description.self, from: Data(image.bytes)).thumbor
    }

    private struct Description: Decodable {
        struct Size: Decodable { let width, height: Int }
        struct Source: Decodable {
            let url: String?
            let width, height, frameCount, orientation, depth, bytes: Int
            let format: String
            let alpha: Bool
        }
        struct Operation: Decodable {
            let type: String
            let left, top, right, bottom, width, height: Int?
        }
        struct Point: Decodable { let origin: String }
        struct Body: Decodable {
            let source: Source
            let operations: [Operation]
            let target: Size
            let focalPoints: [Point]
            let blurhash: String?
        }
        let thumbor: Body
    }
}
