import Logging
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// Collects events, records and log lines of a loader.
final class ReportListener: Sendable {
    private let receivedEvents = Locked<[LoaderEvent]>([])
    private let receivedRecords = Locked<[LoadRecord]>([])
    private let receivedLines = Locked<[LogLine]>([])

    var events: [LoaderEvent] { receivedEvents.value }
    var kinds: [LoaderEvent.Kind] { receivedEvents.value.map(\.kind) }
    var records: [LoadRecord] { receivedRecords.value }
    var lines: [LogLine] { receivedLines.value }

    /// Sets the sinks and the logger of a configuration.
    func listen(_ configuration: inout ImageLoader.Configuration, to categories: LoaderEvent.Categories = .all) {
        configuration.eventCategories = categories
        configuration.eventSink = { [receivedEvents] event in receivedEvents.update { $0.append(event) } }
        configuration.recordSink = { [receivedRecords] record in receivedRecords.update { $0.append(record) } }
        configuration.logger = logger
    }

    /// A logger that collects lines of every level.
    var logger: Logger {
        Logger(label: "test") { [receivedLines] _ in LineHandler { line in receivedLines.update { $0.append(line) } } }
    }

    /// Removes everything collected so far.
    func clear() {
        receivedEvents.update { $0 = [] }
        receivedRecords.update { $0 = [] }
        receivedLines.update { $0 = [] }
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
