import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader

    init(cacheDirectory: String) throws {
        loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
    }

    func thumbnail(of url: String, width: Int) async throws -> Bitmap {
        let options = ThumbnailOptions(width: width)
        var request = ImageRequest(url: url, thumbnail: options, processors: [.sharpen(amount: 0.5, radius: 1)])
        request.variantFormat = .jpeg
        return try await loader.image(for: request).bitmap
    }
}
