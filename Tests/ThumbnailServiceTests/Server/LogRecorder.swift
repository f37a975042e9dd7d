import Logging
import PlatformImageTestSupport

/// A log handler that stores the lines.
struct LogRecorder: LogHandler {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    let lines: Locked<[Line]>

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Line(level: event.level, message: event.message.description, metadata: event.metadata ?? [:])
        lines.update { $0.append(line) }
    }
}
