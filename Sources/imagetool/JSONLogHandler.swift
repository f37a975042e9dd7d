#if Tool && Service
import Foundation
import Loader
import Logging

/// One JSON object a line on stderr. What strangers wrote is escaped, so that no line can pretend to be two and no
/// control byte reaches a terminal.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members: [(String, JSON)] = [
            ("time", .string(Date.now.formatted(.iso8601.time(includingFractionalSeconds: true)))),
            ("level", .string(event.level.rawValue)), ("message", .string(event.message.description)),
        ]
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { members.append((key, .string(value.description))) }
        printError(JSON.object(members).text)
    }
}
#endif
