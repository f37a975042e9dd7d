import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// A loader with a private folder and real connections to an origin in this process.
struct RealServerBench: Sendable {
    let folder: DiskFolder
    let loader: ImageLoader

    /// Without timeouts, so that a busy machine only slows the tests.
    init(_ change: (inout ImageLoader.Configuration) -> Void = { _ in }) throws {
        folder = try DiskFolder()
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = folder.path + "/images"
        configuration.dataDirectory = folder.path + "/data"
        configuration.connectTimeout = nil
        configuration.idleTimeout = nil
        change(&configuration)
        loader = try ImageLoader(
            configuration: configuration, transport: CurlTransport(proxy: .none))
    }

    /// The result of an image load.
    func result(_ request: ImageRequest) async -> Result<LoadedImage, LoadError> {
        do throws(LoadError) {
            return .success(try await loader.image(for: request))
        } catch {
            return .failure(error)
        }
    }

    /// The code of a load's failure; nil for a success.
    func failure(_ request: ImageRequest) async -> LoadError.Code? {
        if case .failure(let error) = await result(request) { return error.code }
        return nil
    }

    /// Entries and temporary files of the image cache.
    var storedFiles: [String] { folder.files.filter { $0.hasPrefix("images/v1/") } }

    /// Returns when no load and no fetch is running. The fetch of a cancelled load ends shortly after the load.
    func waitUntilIdle() async { await yieldUntil { loader.activeWorkCount == 0 } }

    /// An image response, fresh for one day.
    static func image(
        _ bytes: [UInt8] = TestImage.first, _ fields: [OriginField] = [],
        _ change: (inout OriginResponse) -> Void = { _ in }
    ) -> OriginAction {
        let type = OriginField("Content-Type", "image/png")
        var response = OriginResponse(
            fields: [type, OriginField("Cache-Control", "max-age=86400")] + fields, body: bytes)
        change(&response)
        return .response(response)
    }
}
