import PlatformImage
import PlatformImageLoader

struct RemoteImages {
    let loader: ImageLoader
    let queue = DecodeQueue()

    init(cacheDirectory: String) throws {
        var configuration = ImageLoader.Configuration.server(directory: cacheDirectory)
        configuration.staleIfError = .upTo(.seconds(86_400))
        configuration.negativeCacheMaxAge = .seconds(60)
        loader = try ImageLoader(configuration: configuration)
    }

    func thumbnail(of url: String, width: Int) async throws -> [UInt8] {
        let original = try await loader.data(for: DataRequest(url: url))
        var decoder = ImageDecoder()
        decoder.options.limits = .thumbnailService
        let options = ThumbnailOptions(width: width)
        let thumbnail = try await queue.thumbnail(of: original.bytes, options: options, with: decoder)
        return try await queue.encode(thumbnail.bitmap, as: .jpeg)
    }
}
