#if Loader
import PlatformImage

/// Dates of header fields: the three forms of RFC 9110 §5.6.7 and nothing like them.
enum HTTPDate {
    /// The moment that the bytes name, a whole second of the years 0 to 9999; nil for any other text.
    ///
    /// Names of days and months and `GMT` compare without regard to case; a weekday need not be that of the date.
    /// - Parameter now: Places the two-digit year of RFC 850: at most 50 years after it, as late as possible.
    static func parse(_ bytes: [UInt8], now: WallTime) -> WallTime? {
        guard bytes.count >= 24, bytes.count <= 33 else { return nil }
        var text = DateText(bytes: bytes)
        // What follows the first three letters tells the forms apart.
        guard let form = text.form() else { return nil }
        var date: CivilDate?
        switch form {
        case .imf: date = text.imfDate()
        case .rfc850: date = text.rfc850Date(now: CivilDate(now))
        case .asctime: date = text.asctimeDate()
        }
        guard let date, text.isAtEnd, date.isValid else { return nil }
        return WallTime(seconds: date.seconds)
    }

    /// The moment as `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down to the second; the first or the last second of the
    /// years 0 to 9999 when it is beyond them.
    static func format(_ time: WallTime) -> String {
        let date = CivilDate(time)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day = "\(CivilDate.weekdays[date.weekday].prefix(3)), \(padded(date.day, 2))"
        let month = CivilDate.months[Int(date.month) - 1]
        let clock = "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))"
        return "\(day) \(month) \(padded(date.year, 4)) \(clock) GMT"
    }
}

extension HeaderFields {
    /// The moment of a date field; nil when the field is missing, comes in several lines or is no date.
    func date(_ name: String, now: WallTime) -> WallTime? {
        let lines = self[lines: name]
        return lines.count == 1 ? HTTPDate.parse(lines[0], now: now) : nil
    }
}

/// A date and how far it is read.
private struct DateText {
    enum Form { case imf, rfc850, asctime }

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// Reads the weekday and what separates it.
    mutating func form() -> Form? {
        guard let weekday = letters(), let day = CivilDate.weekdayLetters.firstIndex(of: weekday) else { return nil }
        if skip(", ") { return .imf }
        if skip(" ") { return .asctime }
        return skip(CivilDate.weekdayEndings[day]) && skip(", ") ? .rfc850 : nil
    }

    mutating func imfDate() -> CivilDate? {
        guard let day = number(2), skip(" "), let month = month(), skip(" "), let year = number(4), skip(" "),
            let clock = clock(), skip(" gmt")
        else { return nil }
        return CivilDate(year: year, month: month, day: day, clock: clock)
    }

    mutating func rfc850Date(now: CivilDate) -> CivilDate? {
        guard let day = number(2), skip("-"), let month = month(), skip("-"), let year = number(2), skip(" "),
            let clock = clock(), skip(" gmt")
        else { return nil }
        // The latest year that ends so and is not more than 50 years ahead.
        let latest = now.year + 50
        let candidate = latest - (latest - year) % 100
        let date = CivilDate(year: candidate, month: month, day: day, clock: clock)
        guard candidate == latest, date.isLaterInYear(than: now) else { return date }
        return CivilDate(year: candidate - 100, month: month, day: day, clock: clock)
    }

    mutating func asctimeDate() -> CivilDate? {
        guard let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
            let clock = clock(), skip(" "), let year = number(4)
        else { return nil }
        return CivilDate(year: year, month: month, day: day, clock: clock)
    }

    private mutating func clock() -> (Int64, Int64, Int64)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    private mutating func number(_ digits: Int) -> Int64? {
        guard position + digits <= bytes.count else { return nil }
        var number: Int64 = 0
        for index in position..<(position + digits) {
            guard let digit = bytes[index].asciiDigitValue else { return nil }
            number = number * 10 + Int64(digit)
        }
        position += digits
        return number
    }

    private mutating func month() -> Int64? {
        letters().flatMap(CivilDate.monthLetters.firstIndex).map { Int64($0) + 1 }
    }

    /// Three bytes as one number, letters in lower case; nil when there are no three.
    private mutating func letters() -> UInt32? {
        guard position + 3 <= bytes.count else { return nil }
        position += 3
        return bytes[(position - 3)..<position].reduce(0) { $0 << 8 | UInt32($1.lowercasedASCII) }
    }

    /// Goes behind `expected`, which is in lower case, when the text goes on so in whatever case.
    private mutating func skip(_ expected: String) -> Bool {
        var end = position
        for byte in expected.utf8 {
            guard end < bytes.count, bytes[end].lowercasedASCII == byte else { return false }
            end += 1
        }
        position = end
        return true
    }
}

extension CivilDate {
    fileprivate static let monthLetters = months.map(letters)
    fileprivate static let weekdayLetters = weekdays.map(letters)
    /// What follows the first three letters, in lower case.
    fileprivate static let weekdayEndings = weekdays.map { String($0.dropFirst(3)) }

    private static func letters(_ name: String) -> UInt32 {
        name.utf8.prefix(3).reduce(0) { $0 << 8 | UInt32($1.lowercasedASCII) }
    }
}
#endif
