@testable import PlatformImageLoader

/// Header fields whose dates are relative to the time of the response.
struct ScriptedFields: Sendable, ExpressibleByDictionaryLiteral {
    var lines: [(name: String, value: ScriptedValue)] = []

    init() {}

    init(dictionaryLiteral elements: (String, ScriptedValue)...) {
        lines = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Returns these lines followed by `others`.
    func adding(_ others: Self) -> Self {
        var sum = self
        sum.lines += others.lines
        return sum
    }

    /// The lines with dates relative to `now`.
    func fields(at now: WallTime) -> HeaderFields {
        HeaderFields(lines.map { HeaderField($0.name, bytes: $0.value.bytes(at: now)) })
    }
}

/// A field's value: text, or a number of seconds from now that becomes an HTTP date.
enum ScriptedValue: Sendable, CustomStringConvertible, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case text(String)
    case date(Int)
    /// Bytes that are not UTF-8.
    case bytes([UInt8])
    /// Only in expectations: any decimal number greater than the associated value.
    case moreThan(Int)

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .date(value) }

    func bytes(at now: WallTime) -> [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .date(let seconds): Array(CalendarDate(seconds: now.seconds + Int64(seconds)).text.utf8)
        case .bytes(let bytes): bytes
        case .moreThan(let number): Array("more than \(number)".utf8)
        }
    }

    /// The value as text, for failure messages.
    var description: String {
        switch self {
        case .text(let text): text
        case .date(let seconds): "the date \(seconds) seconds after the start"
        case .bytes(let bytes): "\(bytes)"
        case .moreThan(let number): "more than \(number)"
        }
    }

    /// True when the field's value matches this expectation.
    func accepts(_ value: [UInt8]?, at start: WallTime) -> Bool {
        guard let value else { return false }
        if case .moreThan(let number) = self {
            return Int(String(decoding: value, as: UTF8.self)).map { $0 > number } ?? false
        }
        return value == bytes(at: start)
    }
}

/// An HTTP date, formatted independently of the formatter under test.
struct CalendarDate {
    let text: String

    init(seconds: Int64) {
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        var year = 1970
        var left = day
        while left >= Self.days(in: year) {
            left -= Self.days(in: year)
            year += 1
        }
        while left < 0 {
            year -= 1
            left += Self.days(in: year)
        }
        var month = 0
        var lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        if Self.days(in: year) == 366 { lengths[1] = 29 }
        while left >= lengths[month] {
            left -= lengths[month]
            month += 1
        }
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[Int(((day % 7) + 7) % 7)]
        let clock = [time / 3600, time / 60 % 60, time % 60].map(Self.twoDigits).joined(separator: ":")
        text = "\(weekday), \(Self.twoDigits(left + 1)) \(months[month]) \(year) \(clock) GMT"
    }

    private static func days(in year: Int) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
