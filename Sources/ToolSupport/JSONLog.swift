import PlatformImage
package import PlatformImageLoader
package import PlatformImageService

/// Log lines as JSON objects. Everything but printable ASCII is escaped, so that a message cannot forge a second line
/// and no control byte reaches a terminal (SV22 in Docs/service-security.md).
///
/// A loop of the service formats a line for each request, so the bytes are written into one array.
package enum JSONLog {
    /// A log whose entries become lines of a writer.
    package static func log(level: ServiceLog.Level, to lines: LogWriter) -> ServiceLog {
        ServiceLog(level: level) { lines.append(line(.now, $0)) }
    }

    /// A line of an entry: time, level and message, then the fields sorted by name, and a newline.
    package static func line(_ time: WallTime, _ entry: ServiceLog.Entry) -> [UInt8] {
        var line: [UInt8] = []
        // Lines of requests have 200 to 500 bytes.
        line.reserveCapacity(512)
        line.append(text: "{\"time\":\"")
        LogTime.append(time, to: &line)
        line.append(text: "\",\"level\":\"")
        line.append(text: entry.level.rawValue)
        line.append(text: "\",\"message\":")
        line.append(quoted: entry.message)
        for index in sortedIndices(of: entry.fields) {
            line.append(UInt8(ascii: ","))
            line.append(quoted: entry.fields[index].name)
            line.append(UInt8(ascii: ":"))
            append(entry.fields[index].value, to: &line)
        }
        line.append(text: "}\n")
        return line
    }

    private static func append(_ value: ServiceLog.Value, to line: inout [UInt8]) {
        switch value {
        case .text(let text): line.append(quoted: text)
        case .integer(let number): line.append(text: "\(number)")
        case .number(let number) where number.isFinite: line.append(text: "\(number)")
        case .number(let number): line.append(quoted: "\(number)")
        case .list(let texts):
            line.append(UInt8(ascii: "["))
            for (index, text) in texts.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                line.append(quoted: text)
            }
            line.append(UInt8(ascii: "]"))
        }
    }

    /// Indices in the order of the names. The first eight bytes decide most comparisons, as one integer.
    private static func sortedIndices(of fields: [(name: String, value: ServiceLog.Value)]) -> [Int] {
        let prefixes = fields.map { $0.name.leadingBytes }
        return fields.indices.sorted {
            prefixes[$0] == prefixes[$1] ? fields[$0].name < fields[$1].name : prefixes[$0] < prefixes[$1]
        }
    }
}

extension String {
    /// The first eight bytes of the UTF-8 form, the first one in the highest byte; missing bytes are 0.
    fileprivate var leadingBytes: UInt64 {
        var copy = self
        return copy.withUTF8 { bytes in
            var result: UInt64 = 0
            for index in 0..<min(8, bytes.count) { result |= UInt64(bytes[index]) << UInt64(56 - 8 * index) }
            return result
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        var copy = text
        copy.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends a JSON string.
    fileprivate mutating func append(quoted text: String) {
        var copy = text
        let isPlain = copy.withUTF8 { bytes in
            guard bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return false }
            append(UInt8(ascii: "\""))
            append(contentsOf: bytes)
            append(UInt8(ascii: "\""))
            return true
        }
        if !isPlain { append(text: JSONText.quoted(text)) }
    }
}

/// Formats a time as RFC 3339 in UTC with milliseconds: `2026-11-21T21:43:07.120Z`.
package enum LogTime {
    package static func append(_ time: WallTime, to line: inout [UInt8]) {
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
        let parts: [(number: Int64, digits: Int, end: UInt8)] = [
            (year, 4, UInt8(ascii: "-")), (civilMonth, 2, UInt8(ascii: "-")), (dayOfMonth, 2, UInt8(ascii: "T")),
            (inDay / 3_600, 2, UInt8(ascii: ":")), (inDay / 60 % 60, 2, UInt8(ascii: ":")),
            (inDay % 60, 2, UInt8(ascii: ".")), (time.milliseconds - second * 1_000, 3, UInt8(ascii: "Z")),
        ]
        for part in parts {
            append(part.number, digits: part.digits, to: &line)
            line.append(part.end)
        }
    }

    /// Appends the last digits of a number, with leading zeros. Years after 9999 have more digits; they do not occur.
    private static func append(_ number: Int64, digits: Int, to line: inout [UInt8]) {
        var (rest, power) = (number, Int64(1))
        for _ in 1..<digits { power *= 10 }
        while power > 0 {
            line.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: (rest / power) % 10))
            rest %= power
            power /= 10
        }
    }
}
