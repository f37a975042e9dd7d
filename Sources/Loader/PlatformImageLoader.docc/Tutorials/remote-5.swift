import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader

    init(cacheDirectory: String) throws {
        var configuration = ImageLoader.Configuration.server(directory: cacheDirectory)
        configuration.staleIfError = .upTo(.seconds(86_400))
        configuration.negativeCacheMaxAge = .seconds(60)
        loader = try ImageLoader(configuration: configuration)
    }

    func thumbnail(of url: String, width: Int) async throws -> Bitmap {
        let options = ThumbnailOptions(width: width)
        var request = ImageRequest(url: url, thumbnail: options, processors: [.sharpen(amount: 0.5, radius: 1)])
        request.variantFormat = .jpeg
        return try await loader.image(for: request).bitmap
    }
}
