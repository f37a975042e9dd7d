import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader

    init(cacheDirectory: String) throws {
        loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
    }

    func thumbnail(of url: String, width: Int) async throws -> Bitmap {
        let options = ThumbnailOptions(width: width)
        return try await loader.image(for: ImageRequest(url: url, thumbnail: options)).bitmap
    }
}
