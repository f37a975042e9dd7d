#if WebP
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Thumbnails of lossy WebP files that are decoded at half the size. `Tests/CImageCodecsTests` compares the decoded
/// pixels with those of a model.
@Suite struct WebPScaleTests {
    private static func denominator(
        _ path: String, _ width: Int, quality: ThumbnailQuality = .balanced, crop: PixelRectangle? = nil
    ) throws -> Int {
        var options = ThumbnailOptions(width: width)
        options.quality = quality
        options.crop = crop
        let bytes = try Fixture.file(path)
        return try ImageDecoder().thumbnailCost(of: bytes, options: options).plan.scaleDenominator
    }

    /// The image has 720 x 480 pixels.
    @Test(arguments: [
        (ThumbnailQuality.balanced, 120, 2), (.balanced, 121, 1), (.balanced, 10, 2), (.fast, 120, 2), (.fast, 121, 1),
        (.draft, 360, 2), (.draft, 361, 1), (.exact, 120, 1), (.exact, 10, 1),
    ])
    func aLossyOpaqueImageIsDecodedAtHalfSizeWhenThatIsLargeEnough(
        _ quality: ThumbnailQuality, _ width: Int, _ expected: Int
    ) throws {
        #expect(try Self.denominator("demo/valley.webp", width, quality: quality) == expected)
    }

    @Test func theSizeOfTheCropDecides() throws {
        let crop = PixelRectangle(x: 100, y: 100, width: 240, height: 160)

        #expect(try Self.denominator("demo/valley.webp", 40, crop: crop) == 2)
        #expect(try Self.denominator("demo/valley.webp", 41, crop: crop) == 1)
    }

    @Test(arguments: [
        "webp/lossless-soft.webp", "webp/lossy-alpha-best.webp", "webp/animation.webp", "demo/window.png",
    ])
    func otherFilesAreDecodedAtFullSize(_ path: String) throws {
        #expect(try Self.denominator(path, 1, quality: .draft) == 1)
    }

    /// The smallest measured value is 58.5 dB.
    @Test(arguments: [8, 16, 35, 61, 90, 113, 120])
    func aThumbnailFromHalfTheSizeIsCloseToTheExactOne(_ width: Int) throws {
        let bytes = try Fixture.file("demo/valley.webp")
        for linearLight in [false, true] {
            var options = ThumbnailOptions(width: width)
            options.linearLight = linearLight
            let half = try ImageDecoder().thumbnail(of: bytes, options: options)
            options.quality = .exact
            let exact = try ImageDecoder().thumbnail(of: bytes, options: options)

            #expect(half.header == exact.header && half.status == exact.status)
            #expect(half.bitmap.psnr(to: exact.bitmap) ?? 99 > 55, "\(width) pixels, linear light: \(linearLight)")
        }
    }

    @Test func anExactThumbnailHasThePixelsOfAReducedFullDecode() throws {
        let bytes = try Fixture.file("demo/valley.webp")
        var options = ThumbnailOptions(width: 60)
        options.quality = .exact

        let made = try ImageDecoder().thumbnail(of: bytes, options: options)

        let expected = try ImageDecoder().decode(bytes).bitmap.thumbnail(options: options)
        #expect(made.bitmap.copyBytes() == expected.copyBytes())
    }
}
#endif
