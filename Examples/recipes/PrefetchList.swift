import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// Loads the images of the next page in the background, and stops when the user goes elsewhere.
final class PagePrefetch: Sendable {
    private let prefetch: Prefetch

    /// - Parameter urls: In the order in which they will be needed. Fresh images are skipped.
    init(_ urls: [String], loader: ImageLoader) {
        // Slow priority: these downloads start only while no urgent load waits or runs.
        prefetch = loader.prefetch(urls.map { ImageRequest(url: $0) }, to: .disk, priority: .slow)
    }

    /// The page is on screen now: its loads precede all others, and no download is restarted.
    func pageAppeared() { prefetch.setPriority(.urgent) }

    /// Ends the downloads that no other load waits for. Releasing the object has the same effect.
    func cancel() { prefetch.cancel() }

    func waitUntilFinished() async -> Prefetch.Counts { await prefetch.waitUntilFinished() }
}

extension RecipeTests {
    @Test func prefetchedImagesAreLoadedWithoutAnotherRequest() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let loader = try ImageLoader(configuration: .server(directory: folder.path))
        let urls = ["logo.png", "mountains.jpg", "logo.png", "none.png"].map { origin.url("/demo/\($0)") }

        let page = PagePrefetch(urls, loader: loader)
        page.pageAppeared()
        let counts = await page.waitUntilFinished()

        #expect((counts.total, counts.done, counts.failed, counts.skipped) == (4, 2, 1, 1))
        #expect(origin.requests.count == 3)
        let image = try await loader.image(for: ImageRequest(url: urls[1], policy: .cacheOnly))
        #expect(image.source == .disk && image.bitmap.width == 760)
    }
}
