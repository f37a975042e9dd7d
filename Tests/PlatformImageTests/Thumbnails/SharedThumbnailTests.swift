import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Several thumbnails made with one decode.
@Suite struct SharedThumbnailTests {
    private static let files = [
        "demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/city-lights-turned.jpg", "demo/poster-cmyk.jpg",
        "demo/window.png", "demo/ribbons.png", "demo/display-p3.png", "demo/orbit.gif", "demo/letter-g4.tif",
        "demo/dunes-16-bit.tif", "demo/invader-rle4.bmp", "gif/truncated-short-blocks.gif",
        "demo/valley.webp",
    ]

    /// Thumbnails of many sizes and fits, and a crop; one decode may not be sufficient for all of them.
    private static func options(of header: ImageHeader) -> [ThumbnailOptions] {
        var all = [8, 20, 40, 41, 60, 100, 120, 250, 251, 330, 500].map {
            ThumbnailOptions(width: $0, height: $0)
        }
        for fit in [ThumbnailFit.fill, .cover] {
            all.append(ThumbnailOptions(width: 50, height: 70, fit: fit))
            all.append(ThumbnailOptions(width: 31, height: 17, fit: fit))
        }
        var cropped = ThumbnailOptions(width: 30, height: 20, fit: .fill)
        cropped.crop = PixelRectangle(
            x: header.displayWidth / 4, y: header.displayHeight / 3, width: header.displayWidth / 2,
            height: header.displayHeight / 2)
        all.append(cropped)
        all.append(contentsOf: (0..<8).map { ThumbnailOptions(width: 60 + $0, height: 60 + $0) })
        return all
    }

    @Test(arguments: files) func thumbnailsThatShareADecodeEqualSeparatelyDecodedThumbnails(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let decoder = ImageDecoder()
        let options = try Self.options(of: decoder.header(of: bytes))

        let (images, decodeCount) = try decoder.thumbnailsGroupedByPlan(of: bytes, options: options)

        #expect(images.count == options.count)
        #expect(decodeCount < options.count / 3)
        for (own, shared) in zip(options, images) {
            let alone = try decoder.thumbnail(of: bytes, options: own)
            #expect(shared.bitmap.copyBytes() == alone.bitmap.copyBytes(), "\(path) \(own.width) x \(own.height)")
            #expect(shared.status == alone.status)
        }
    }

    @Test func thumbnailsWithTheSameDecodePlanShareOneDecode() throws {
        let bytes = try Fixture.file("demo/window.png")
        let options = [20, 40, 60, 120, 250, 330, 500, 960].map { ThumbnailOptions(width: $0, height: $0) }
        let plans = Set(try options.map { try ImageDecoder().thumbnailCost(of: bytes, options: $0).plan })

        #expect(plans.count == 1)
        #expect(try ImageDecoder().thumbnailsGroupedByPlan(of: bytes, options: options).decodeCount == 1)
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        let bytes = try Fixture.file("demo/ribbons.png")
        let options = [20, 40, 700].map { ThumbnailOptions(width: $0, height: $0) }
        let whole = CancellationFlag()
        _ = try ImageDecoder().thumbnailsGroupedByPlan(of: bytes, options: options, cancellation: whole)

        for polls in stride(from: 0, to: whole.pollCount, by: 3) {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try ImageDecoder().thumbnailsGroupedByPlan(of: bytes, options: options, cancellation: flag)
            }
            #expect(error?.code == .cancelled)
        }
    }
}
