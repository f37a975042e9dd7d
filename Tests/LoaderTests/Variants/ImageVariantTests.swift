import PlatformImage
import Testing

@testable import PlatformImageLoader

@Suite struct ImageVariantTests {
    private static func custom(_ identifier: String) -> ImageProcessor {
        .custom(identifier: identifier) { bitmap, _ in bitmap }
    }

    /// Requests of one URL that produce different pixels or files.
    private static let requests: [ImageRequest] = {
        let sizes = [
            ThumbnailOptions(width: 8), ThumbnailOptions(height: 8), ThumbnailOptions(width: 8, height: 8),
            ThumbnailOptions(width: 8, height: 8, fit: .cover),
        ]
        let processors: [[ImageProcessor]] = [
            [], [.grayscale()], [.blur(sigma: 1)], [.grayscale(), .blur(sigma: 1)], [.blur(sigma: 1), .grayscale()],
            [custom("a")], [custom("a"), custom("b")], [custom("a,b")], [custom("grayscale")], [custom("")],
            // Texts that resemble the other parts of a variant's name.
            [custom(" file 3 png")], [custom("a file 3 png")], [custom(" processors 1 a")],
        ]
        var requests: [ImageRequest] = []
        for options in [DecodeOptions(), .asStored] {
            for size in [nil] + sizes.map(Optional.some) {
                for list in processors {
                    for format in [nil, EncodedFormat.png, .jpeg] {
                        var request = ImageRequest(url: LoaderBench.url, processors: list)
                        request.decodeOptions = options
                        request.thumbnail = size
                        request.variantFormat = format
                        // Without a thumbnail and processors the format is ignored.
                        if size == nil, list.isEmpty, format != nil { continue }
                        requests.append(request)
                    }
                }
            }
        }
        return requests
    }()

    @Test func requestsWithDifferentPixelsHaveDifferentMemoryAndDiskKeys() throws {
        let names = Self.requests.map(\.keys.variant.name)
        #expect(Set(names).count == Self.requests.count)
        #expect(Set(Self.requests.compactMap(\.keys.imageKey)).count == Self.requests.count)
        let key = diskKey("a")
        #expect(Set(names.map { key.variant(named: $0).bytes }).count == Self.requests.count)
    }

    @Test func variantOfTheDefaultRequestHasAnEmptyName() {
        #expect(ImageRequest(url: LoaderBench.url).keys.variant.name == "")
        var request = ImageRequest(url: LoaderBench.url)
        request.variantFormat = .png
        #expect(request.keys.variant.name == "")
    }

    /// The names are parts of keys on disk: a change of their form makes all stored files unreachable.
    @Test func variantNamesKeepTheirForm() {
        var request = ImageRequest(
            url: LoaderBench.url, thumbnail: ThumbnailOptions(width: 8), processors: [.blur(sigma: 2.5)])
        request.variantFormat = .png
        let name = request.keys.variant.name
        let thumbnail = ThumbnailOptions(width: 8).cacheVariant
        let processors = [ImageProcessor.blur(sigma: 2.5)].cacheVariant
        #expect(
            name == " thumbnail \(thumbnail.utf8.count) \(thumbnail) processors \(processors.utf8.count) \(processors)"
                + " file 3 png")
    }

    @Test func scaleDenominatorDoesNotChangeTheVariantOfAThumbnail() {
        var scaled = ImageRequest(url: LoaderBench.url, thumbnail: ThumbnailOptions(width: 8))
        scaled.decodeOptions.scaleDenominator = 4
        let plain = ImageRequest(url: LoaderBench.url, thumbnail: ThumbnailOptions(width: 8))
        #expect(scaled.keys.variant == plain.keys.variant)
    }
}
