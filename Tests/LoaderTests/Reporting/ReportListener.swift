import PlatformImageTestSupport

@testable import PlatformImageLoader

/// Collects events and records of a loader.
final class ReportListener: Sendable {
    private let receivedEvents = Locked<[LoaderEvent]>([])
    private let receivedRecords = Locked<[LoadRecord]>([])

    var events: [LoaderEvent] { receivedEvents.value }
    var kinds: [LoaderEvent.Kind] { receivedEvents.value.map(\.kind) }
    var records: [LoadRecord] { receivedRecords.value }
    /// The log lines of the events that the configuration does not exclude from logs.
    var lines: [LogLine] { events.filter(\.isLogged).map(LogLine.init) }

    /// Sets the sinks of a configuration.
    func listen(_ configuration: inout ImageLoader.Configuration, to categories: LoaderEvent.Categories = .all) {
        configuration.eventCategories = categories
        configuration.eventSink = { [receivedEvents] event in receivedEvents.update { $0.append(event) } }
        configuration.recordSink = { [receivedRecords] record in receivedRecords.update { $0.append(record) } }
    }

    /// Removes everything collected so far.
    func clear() {
        receivedEvents.update { $0 = [] }
        receivedRecords.update { $0 = [] }
    }
}

/// One log message.
struct LogLine: Hashable, Sendable {
    let level: LoaderEvent.Level
    let message: String
    let metadata: [String: String]

    init(level: LoaderEvent.Level, message: String, metadata: [String: String]) {
        self.level = level
        self.message = message
        self.metadata = metadata
    }

    /// The line that a log writes for an event. Traps when two fields have the same name.
    init(_ event: LoaderEvent) {
        let fields = event.fields.map { ($0.name, $0.value) }
        self.init(level: event.level, message: event.message, metadata: Dictionary(uniqueKeysWithValues: fields))
    }
}

extension LoaderBench {
    /// Loads an image and ignores the result.
    func load(_ url: String = LoaderBench.url, _ policy: CachePolicy = .default) async {
        _ = await failure(ImageRequest(url: url, policy: policy))
    }
}
