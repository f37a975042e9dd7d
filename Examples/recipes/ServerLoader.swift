import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// A loader for a server: images in memory and on disk with limits, retries, and the rules of a shared HTTP cache.
///
/// - Parameter directory: Writable only for the user of the server, for example `/var/cache/my-server`.
func makeServerLoader(directory: String) throws -> ImageLoader {
    var configuration = ImageLoader.Configuration.server(
        directory: directory, diskCacheMaxBytes: 1 << 30, memoryCacheMaxBytes: 128 << 20)
    // An old image is better than an error page.
    configuration.staleIfError = .upTo(.seconds(86_400))
    // Many origins send no Cache-Control.
    configuration.defaultCacheControlMaxAge = .seconds(300)
    // A missing image is not requested again for a minute.
    configuration.negativeCacheMaxAge = .seconds(60)
    return try ImageLoader(configuration: configuration)
}

extension RecipeTests {
    @Test func serverLoaderAnswersFromMemoryAndFromDiskAfterARestart() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let request = ImageRequest(url: origin.url("/demo/logo.png"))

        let loader = try makeServerLoader(directory: folder.path)
        #expect(try await loader.image(for: request).source == .networkToDisk)
        #expect(try await loader.image(for: request).source == .memory)
        await loader.flush()

        let restarted = try makeServerLoader(directory: folder.path)
        #expect(try await restarted.image(for: request).source == .disk)
        #expect(origin.requests.count == 1)
    }

    @Test func missingImageIsRequestedOnlyOnce() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let loader = try makeServerLoader(directory: folder.path)

        for code in [LoadError.Code.http, .remembered] {
            await #expect {
                try await loader.image(for: ImageRequest(url: origin.url("/none.png")))
            } throws: { ($0 as? LoadError)?.code == code && ($0 as? LoadError)?.statusCode == 404 }
        }
        #expect(origin.requests.count == 1)
    }
}
