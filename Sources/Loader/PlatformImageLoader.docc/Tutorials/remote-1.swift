import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader

    init(cacheDirectory: String) throws {
        loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
    }

    func image(at url: String) async throws -> Bitmap {
        try await loader.image(for: ImageRequest(url: url)).bitmap
    }
}
