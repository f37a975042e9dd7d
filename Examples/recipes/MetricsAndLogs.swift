import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// A loader whose loads appear in the metrics and in the log of the process.
final class ObservedLoader: Sendable {
    let loader: ImageLoader
    private let metrics: LoaderMetrics

    /// - Parameters:
    ///   - registry: The metrics of the process.
    ///   - log: Writes a line to the log of the process.
    init(
        _ configuration: ImageLoader.Configuration, registry: PrometheusRegistry,
        log: @escaping @Sendable (LoaderEvent.Level, String) -> Void
    ) throws {
        let metrics = LoaderMetrics(prefix: "images", registry: registry)
        var configuration = configuration
        configuration.eventCategories = [.cache, .error, .memory]
        configuration.logCacheMisses = false
        configuration.eventSink = { event in
            guard event.isLogged else { return }
            let values = event.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            log(event.level, "\(event.message) \(values)")
        }
        // Queries can contain secrets, so they are hidden; the width is useful in a log.
        let redaction = Redaction { name, value in name == "width" ? value : nil }
        configuration.redactURL = { redaction($0) }
        configuration.recordSink = { metrics.record($0) }
        self.metrics = metrics
        loader = try ImageLoader(configuration: configuration)
    }

    /// The body of a response to Prometheus; its media type is `PrometheusRegistry.contentType`.
    func metricsText() -> String {
        metrics.record(loader.statistics)
        return metrics.registry.text
    }
}

extension RecipeTests {
    @Test func loadsAreCountedAndFailuresAreLoggedWithoutSecrets() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let lines = Locked<[String]>([])
        let observed = try ObservedLoader(.server(directory: folder.path), registry: PrometheusRegistry()) {
            level, line in
            lines.update { $0.append("\(level) \(line)") }
        }

        for _ in 0..<2 { _ = try await observed.loader.image(for: ImageRequest(url: origin.url("/demo/logo.png"))) }
        _ = try? await observed.loader.image(for: ImageRequest(url: origin.url("/none.png?width=9&token=x")))
        await observed.loader.flush()
        let text = observed.metricsText().split(separator: "\n")

        for source in ["networkToDisk", "memory"] {
            #expect(text.contains("images_loads{content=\"image\",source=\"\(source)\"} 1"))
        }
        #expect(text.contains("images_requests 2"))
        #expect(lines.value.count == 1 && lines.value.allSatisfy { $0.contains("width=9") && !$0.contains("token=x") })
        #expect(lines.value.allSatisfy { $0.hasPrefix("error load failed ") })
    }
}
