import PlatformImage

/// HTTP dates in exactly the three formats of RFC 9110 §5.6.7.
enum HTTPDate {
    /// Parses a date in whole seconds of the years 0 to 9999; nil for any other text.
    ///
    /// Names of days and months and `GMT` are case-insensitive; the weekday need not match the date.
    ///
    /// - Parameter now: Resolves the two-digit year of RFC 850: the latest year at most 50 years after `now`.
    static func parse(_ bytes: [UInt8], now: WallTime) -> WallTime? {
        guard bytes.count >= 24, bytes.count <= 33 else { return nil }
        var text = DateText(bytes: bytes)
        // The characters after the first three letters distinguish the formats.
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

    /// Formats a time as `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down and clamped to the years 0 to 9999.
    static func format(_ time: WallTime) -> String {
        let date = CivilDate(time)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width &- digits.count)) + digits  // trap-free: texts
        }
        let weekday = CivilDate.weekdays.dropFirst(date.weekday).first ?? ""
        let day = "\(weekday.prefix(3)), \(padded(date.day, 2))"
        let month = CivilDate.months.dropFirst(Int(clamping: max(1, date.month)) &- 1).first ?? ""
        let clock = "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))"
        return "\(day) \(month) \(padded(date.year, 4)) \(clock) GMT"
    }
}

extension HeaderFields {
    /// Returns the time of a date field; nil when the field is missing, has several lines, or is not a date.
    func date(_ name: String, now: WallTime) -> WallTime? {
        let lines = self[lines: name]
        return lines.count == 1 ? lines.first.flatMap { HTTPDate.parse($0, now: now) } : nil
    }
}

/// A date text and the parser's position in it.
private struct DateText {
    enum Form { case imf, rfc850, asctime }

    let bytes: [UInt8]
    private var cursor: ByteCursor

    init(bytes: [UInt8]) {
        self.bytes = bytes
        cursor = ByteCursor(bytes.span)
    }

    var isAtEnd: Bool { cursor.isAtEnd }

    /// Parses the weekday and its separator, which determine the format.
    mutating func form() -> Form? {
        guard let weekday = letters(), let day = CivilDate.weekdayLetters.firstIndex(of: weekday) else { return nil }
        if skip(", ") { return .imf }
        if skip(" ") { return .asctime }
        let ending = CivilDate.weekdayEndings.dropFirst(day).first ?? ""
        return skip(ending) && skip(", ") ? .rfc850 : nil
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
        // The latest year with these two digits that is at most 50 years ahead.
        let latest = now.year &+ 50
        let candidate = latest &- (latest &- year) % 100
        let date = CivilDate(year: candidate, month: month, day: day, clock: clock)
        guard candidate == latest, date.isLaterInYear(than: now) else { return date }
        return CivilDate(year: candidate &- 100, month: month, day: day, clock: clock)
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
        var next = cursor
        var number: Int64 = 0
        for _ in 0..<max(0, digits) {
            guard let digit = next.next(bytes.span)?.asciiDigitValue else { return nil }
            number = number &* 10 &+ Int64(clamping: digit)
        }
        cursor = next
        return number
    }

    private mutating func month() -> Int64? {
        letters().flatMap(CivilDate.monthLetters.firstIndex).map { Int64(clamping: $0) &+ 1 }
    }

    /// Reads three bytes, lowercased, as one number; nil when fewer than three are left.
    private mutating func letters() -> UInt32? {
        guard let range = cursor.take(3) else { return nil }
        return bytes.span.copy(range).reduce(0) { $0 << 8 | UInt32(clamping: $1.lowercasedASCII) }
    }

    /// Advances past `expected`, which is lowercase, when it matches case-insensitively.
    private mutating func skip(_ expected: String) -> Bool {
        var next = cursor
        for byte in expected.utf8 {
            guard next.next(bytes.span)?.lowercasedASCII == byte else { return false }
        }
        cursor = next
        return true
    }
}

extension CivilDate {
    fileprivate static let monthLetters = months.map(letters)
    fileprivate static let weekdayLetters = weekdays.map(letters)
    /// The rest of each weekday after its first three letters, in lower case as `skip(_:)` requires.
    fileprivate static let weekdayEndings = weekdays.map { String($0.dropFirst(3)) }

    private static func letters(_ name: String) -> UInt32 {
        name.utf8.prefix(3).reduce(0) { $0 << 8 | UInt32(clamping: $1.lowercasedASCII) }
    }
}
