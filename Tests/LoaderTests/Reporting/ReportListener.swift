#if Loader
import Logging
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// Collects events, records and log lines of a loader.
final class ReportListener: Sendable {
    private let heard = Locked<[LoaderEvent]>([])
    private let counted = Locked<[LoadRecord]>([])
    private let written = Locked<[LogLine]>([])

    var events: [LoaderEvent] { heard.value }
    var kinds: [LoaderEvent.Kind] { heard.value.map(\.kind) }
    var records: [LoadRecord] { counted.value }
    var lines: [LogLine] { written.value }

    /// Sets the sinks and the logger of a configuration.
    func listen(_ configuration: inout ImageLoader.Configuration, to categories: LoaderEvent.Categories = .all) {
        configuration.eventCategories = categories
        configuration.eventSink = { [heard] event in heard.update { $0.append(event) } }
        configuration.recordSink = { [counted] record in counted.update { $0.append(record) } }
        configuration.logger = logger
    }

    /// A logger that collects lines of every level.
    var logger: Logger {
        Logger(label: "test") { [written] _ in LineHandler { line in written.update { $0.append(line) } } }
    }

    /// Removes everything collected so far.
    func clear() {
        heard.update { $0 = [] }
        counted.update { $0 = [] }
        written.update { $0 = [] }
    }
}

/// One log message.
struct LogLine: Hashable, Sendable {
    let level: Logger.Level
    let message: String
    let metadata: [String: String]
    let source: String
}

private struct LineHandler: LogHandler {
    let write: @Sendable (LogLine) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ write: @escaping @Sendable (LogLine) -> Void) { self.write = write }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        write(
            LogLine(
                level: event.level, message: "\(event.message)",
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" }, source: event.source))
    }
}

extension LoaderBench {
    /// Loads an image and ignores the result.
    func load(_ url: String = LoaderBench.url, _ policy: CachePolicy = .default) async {
        _ = await failure(ImageRequest(url: url, policy: policy))
    }
}
#endif
