import Dispatch
import PlatformImage
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// A loader with a scripted transport, a private folder and a manual clock.
struct LoaderBench: Sendable {
    let folder: DiskFolder
    let clock = TestClock()
    let transport: ScriptedTransport
    let loader: ImageLoader

    init(
        _ transport: ScriptedTransport, in folder: DiskFolder? = nil,
        _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? DiskFolder()
        self.transport = transport
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = self.folder.path + "/images"
        configuration.dataDirectory = self.folder.path + "/data"
        // Without a limit, every loader would report diskCacheUnlimited.
        configuration.diskCacheMaxBytes = 1 << 30
        // Tests compare the complete fields of requests.
        configuration.userAgent = nil
        configuration.clock = { [clock] in clock.now }
        change(&configuration)
        loader = try ImageLoader(configuration: configuration, transport: transport)
        // Waits for the initial scan of the cache folder. The scan compares file dates with the clock of the test. A
        // temporary file that is written during the scan would look abandoned, and the scan would remove it.
        for disk in [loader.images.disk, loader.data.disk].compactMap(\.self) { disk.queue.sync { disk.finishScan() } }
    }

    init(_ replies: ScriptedReply..., change: (inout ImageLoader.Configuration) -> Void = { _ in }) throws {
        try self.init(ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }, change)
    }

    static let url = "http://example.com/picture.png"

    /// The events of a load as short texts, without progress.
    func steps(
        _ request: ImageRequest = ImageRequest(url: url), from loader: ImageLoader? = nil
    ) async -> [String] {
        var steps: [String] = []
        for await event in (loader ?? self.loader).events(for: request) {
            switch event {
            case .cached(let image): steps.append("cached \(image.source) \(image.isFresh ? "fresh" : "stale")")
            case .sendingRequest(let hadImage): steps.append(hadImage ? "sending after image" : "sending")
            case .progress: break
            case .retrying(let attempt, _, let reason): steps.append("retrying \(attempt) \(reason.code)")
            case .finished(.success(let image)): steps.append("finished \(image.source)")
            case .finished(.failure(let error)):
                steps.append("failed \(error.code)\(error.statusCode.map { " \($0)" } ?? "")")
            }
        }
        return steps
    }

    /// The error of an image load; nil when it succeeds.
    func failure(_ request: ImageRequest = ImageRequest(url: url)) async -> LoadError? {
        do throws(LoadError) {
            _ = try await loader.image(for: request)
            return nil
        } catch {
            return error
        }
    }

    /// The error of a data load; nil when it succeeds.
    func dataFailure(_ request: DataRequest = DataRequest(url: url)) async -> LoadError? {
        do throws(LoadError) {
            _ = try await loader.data(for: request)
            return nil
        } catch {
            return error
        }
    }

    /// The relative paths of the files in the image cache.
    var storedFiles: [String] { folder.files.filter { $0.hasPrefix("images/v1/") } }

    /// True when no work of a load is running; the work of a cancelled load counts until it ends.
    var isIdle: Bool { loader.activeWorkCount == 0 }

    /// Yields to other tasks until `condition` is true.
    func waitUntil(_ condition: @Sendable () -> Bool) async { await yieldUntil(condition) }
}

/// Two small, different images.
enum TestImage {
    /// 19 x 13 pixels in 506 bytes.
    static let first = load("png/rgba8.png")
    /// 11 x 9 pixels in 502 bytes.
    static let second = load("png/rgb16.png")

    private static func load(_ path: String) -> [UInt8] {
        do {
            return try Fixture.file(path)
        } catch {
            preconditionFailure("\(path): \(error)")
        }
    }
}
