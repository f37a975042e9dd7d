import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader

    init(cacheDirectory: String) throws {
        loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
    }

    func image(at url: String) async throws -> Bitmap {
        let result = try await loader.image(for: ImageRequest(url: url))
        print(result.source, result.isFresh ? "fresh" : "stale", result.timings.network)
        return result.bitmap
    }
}
