#if Tool && Service
import PlatformImageLoader
import Logging
import PlatformImageService

/// One JSON object a line on stderr. Everything but printable ASCII is escaped, so that no line can pretend to be two,
/// and no control byte reaches a terminal (SERVICE.md SV22).
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    private let lines: LogLines

    init(lines: LogLines = LogLines()) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append(
            Self.line(
                .now, event.level, event.message.description, metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// Time, level and message, then the metadata by name.
    static func line(
        _ time: WallTime, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata
    ) -> String {
        var line =
            "{\"time\":\"\(LogTime.text(time))\",\"level\":\"\(level.rawValue)\",\"message\":\(JSONText.quoted(message))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += ",\(JSONText.quoted(key)):\(text(of: value))"
        }
        return line + "}\n"
    }

    /// Numbers and truth values as such, lists and dictionaries in their form, all else as strings.
    private static func text(of value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): JSONText.quoted(text)
        case .stringConvertible(let value):
            switch value {
            case let number as any BinaryInteger: "\(number)"
            case let number as Double where number.isFinite: "\(number)"
            case let truth as Bool: "\(truth)"
            default: JSONText.quoted(value.description)
            }
        case .array(let values): "[" + values.map(text(of:)).joined(separator: ",") + "]"
        case .dictionary(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\(text(of: $0.value))" }
                .joined(separator: ",") + "}"
        }
    }
}
#endif
