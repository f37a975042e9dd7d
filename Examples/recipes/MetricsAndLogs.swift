import CoreMetrics
import Logging
import MetricsTestKit
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// A loader whose loads appear in the metrics backend and in the log of the process. Needs the package trait Metrics.
final class ObservedLoader: Sendable {
    let loader: ImageLoader
    private let metrics: LoaderMetrics

    /// - Parameter factory: The backend; by default the one that `MetricsSystem.bootstrap` set.
    init(
        _ configuration: ImageLoader.Configuration, logger: Logger,
        factory: any MetricsFactory = MetricsSystem.factory
    ) throws {
        let metrics = LoaderMetrics(prefix: "images", factory: factory)
        var configuration = configuration
        configuration.logger = logger
        configuration.eventCategories = [.cache, .error, .memory]
        configuration.logCacheMisses = false
        // Queries can contain secrets, so they are hidden; the width is useful in a log.
        let redaction = Redaction { name, value in name == "width" ? value : nil }
        configuration.redactURL = { redaction($0) }
        configuration.recordSink = { metrics.record($0) }
        self.metrics = metrics
        loader = try ImageLoader(configuration: configuration)
    }

    /// Call it before each export of the backend, for example every 10 seconds.
    func updateMetrics() { metrics.record(loader.statistics) }
}

extension RecipeTests {
    @Test func loadsAreCountedAndFailuresAreLoggedWithoutSecrets() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let (backend, lines) = (TestMetrics(), Locked<[String]>([]))
        let logger = Logger(label: "images") { _ in LineLog(lines: lines) }
        let observed = try ObservedLoader(.server(directory: folder.path), logger: logger, factory: backend)

        for _ in 0..<2 { _ = try await observed.loader.image(for: ImageRequest(url: origin.url("/demo/logo.png"))) }
        _ = try? await observed.loader.image(for: ImageRequest(url: origin.url("/none.png?width=9&token=x")))
        await observed.loader.flush()
        observed.updateMetrics()

        for source in ["networkToDisk", "memory"] {
            let counter = try backend.expectCounter("images.loads", [("source", source), ("content", "image")])
            #expect(counter.totalValue == 1)
        }
        #expect(try backend.expectCounter("images.requests").totalValue == 2)
        #expect(lines.value.count == 1 && lines.value.allSatisfy { $0.contains("width=9") && !$0.contains("token=x") })
    }
}

/// A log handler for the test.
private struct LineLog: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.update { $0.append("\(event.message) \(event.metadata ?? [:])") } }
}
