import PlatformImage
package import PlatformImageLoader
package import PlatformImageService

/// Log lines as JSON objects. Everything but printable ASCII is escaped, so that a message cannot forge a second line
/// and no control byte reaches a terminal (SV22 in Docs/service-security.md).
package enum JSONLog {
    /// A line of an entry: time, level and message, then the fields sorted by name.
    package static func line(_ time: WallTime, _ entry: ServiceLog.Entry) -> String {
        var line = "{\"time\":\"\(LogTime.text(time))\",\"level\":\"\(entry.level.rawValue)\""
        line += ",\"message\":\(JSONText.quoted(entry.message))"
        for (name, value) in entry.fields.sorted(by: { $0.name < $1.name }) {
            line += ",\(JSONText.quoted(name)):\(text(of: value))"
        }
        return line + "}\n"
    }

    private static func text(of value: ServiceLog.Value) -> String {
        switch value {
        case .text(let text): JSONText.quoted(text)
        case .integer(let number): "\(number)"
        case .number(let number): number.isFinite ? "\(number)" : JSONText.quoted("\(number)")
        case .list(let texts): "[" + texts.map { JSONText.quoted($0) }.joined(separator: ",") + "]"
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
