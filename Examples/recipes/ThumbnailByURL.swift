import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// The images of a page, loaded straight to the sizes in which they are shown.
///
/// All sizes of a URL share one download. Each size has its own entry in memory; the file of a size on disk is used
/// only while the downloaded source is current.
struct PageImages: Sendable {
    let loader: ImageLoader

    /// A preview in a list: fills the box, so that all previews have the same size.
    func preview(_ url: String) async throws(LoadError) -> Bitmap {
        var request = ImageRequest(url: url, thumbnail: ThumbnailOptions(width: 120, height: 90, fit: .cover))
        request.variantFormat = .jpeg
        return try await loader.image(for: request).bitmap
    }

    /// The round image of a person.
    func portrait(_ url: String) async throws(LoadError) -> Bitmap {
        let box = ThumbnailOptions(width: 64, height: 64, fit: .cover)
        return try await loader.image(for: ImageRequest(url: url, thumbnail: box, processors: [.circle()])).bitmap
    }

    /// The file as the server sent it, for example to offer it as a download; usually without another request.
    func original(_ url: String) async throws(LoadError) -> [UInt8] {
        try await loader.imageData(for: ImageRequest(url: url)).bytes
    }
}

extension RecipeTests {
    @Test func sizesOfOneURLShareOneDownload() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let images = PageImages(loader: try ImageLoader(configuration: .server(directory: folder.path)))
        let url = origin.url("/demo/mountains.jpg")

        async let preview = images.preview(url)
        async let portrait = images.portrait(url)
        let (small, round) = try await (preview, portrait)

        #expect(small.width == 120 && small.height == 90)
        #expect(round.width == 64 && round[0, 0].alpha == 0 && round[32, 32].alpha == 255)
        #expect(try await images.original(url) == example("demo/mountains.jpg"))
        #expect(origin.requests.count == 1)
    }
}
