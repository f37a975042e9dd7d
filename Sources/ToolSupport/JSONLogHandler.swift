package import PlatformImageLoader
package import Logging
import PlatformImageService

/// Log handler that writes one JSON object per line to stderr. Everything but printable ASCII is escaped, so that a
/// message cannot forge a second line and no control byte reaches a terminal (SV22 in Docs/service-security.md).
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    private let lines: LogWriter

    package init(lines: LogWriter = LogWriter()) { self.lines = lines }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        lines.append(
            Self.line(
                .now, event.level, event.message.description, metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// Formats time, level and message, then the metadata sorted by key.
    package static func line(
        _ time: WallTime, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata
    ) -> String {
        var line = "{\"time\":\"\(LogTime.text(time))\",\"level\":\"\(level.rawValue)\""
        line += ",\"message\":\(JSONText.quoted(message))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += ",\(JSONText.quoted(key)):\(text(of: value))"
        }
        return line + "}\n"
    }

    /// Formats numbers, booleans, arrays and dictionaries as JSON, and other values as strings.
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

/// Formats a time as RFC 3339 in UTC with milliseconds: `2026-11-21T21:43:07.120Z`.
package enum LogTime {
    package static func text(_ time: WallTime) -> String {
        let second = time.seconds
        let inDay = (second % 86_400 + 86_400) % 86_400
        let day = (second - inDay) / 86_400
        // Days since 0000-03-01: in a year that starts in March the leap day is the last day.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = era * 400 + yearOfEra + (civilMonth <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(civilMonth, 2))-\(padded(dayOfMonth, 2))T"
            + "\(padded(inDay / 3_600, 2)):\(padded(inDay / 60 % 60, 2)):\(padded(inDay % 60, 2))."
            + "\(padded(time.milliseconds - second * 1_000, 3))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
