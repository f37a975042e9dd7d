import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// Removes stored images, for example after a message from the publisher.
struct CacheInvalidation: Sendable {
    let loader: ImageLoader

    /// One image was replaced or deleted: the next load sends a request.
    func remove(_ url: String) async {
        let request = ImageRequest(url: url)
        await loader.removeImage(for: request)
        loader.forgetFailures(for: request)
    }

    /// Loads an image from the origin although the stored one is fresh, and stores the new one.
    func reload(_ url: String) async throws -> LoadedImage {
        try await loader.image(for: ImageRequest(url: url, policy: .reload))
    }

    /// Removes everything, for example after a change of permissions.
    ///
    /// - Returns: The number of removed images in memory and files on disk.
    func removeAll() async -> Int {
        let (memory, disk) = (await loader.purgeMemory(), await loader.purgeDisk())
        loader.forgetFailures()
        return memory.count + disk.count
    }

    /// Removes files that were not used for 30 days.
    func removeUnused() async -> RemovalReport {
        await loader.clearCachedFiles(modifiedOlderThan: .seconds(30 * 86_400))
    }
}

extension RecipeTests {
    @Test func removedAndPurgedImagesAreRequestedAgain() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let loader = try ImageLoader(configuration: .server(directory: folder.path))
        let invalidation = CacheInvalidation(loader: loader)
        let url = origin.url("/demo/logo.png")

        _ = try await loader.image(for: ImageRequest(url: url))
        await invalidation.remove(url)
        #expect(!loader.contains(ImageRequest(url: url)))
        #expect(try await loader.image(for: ImageRequest(url: url)).source == .networkToDisk)

        #expect(try await invalidation.reload(url).source == .networkToDisk)
        #expect(origin.requests.last?["Cache-Control"] == "no-cache")
        #expect(await invalidation.removeUnused().count == 0)
        #expect(await invalidation.removeAll() == 2)  // one bitmap in memory, one file
        #expect(try await loader.image(for: ImageRequest(url: url)).source == .networkToDisk)
        #expect(origin.requests.count == 4)
    }
}
