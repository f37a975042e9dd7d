/// A valid `Last-Modified` date, read and written as IMF-fixdate (RFC 9110 §5.6.7).
struct LastModified: Hashable, Sendable {
    /// Seconds since 1970, 0 or more.
    let seconds: Int64

    /// Wraps a number of seconds since 1970; traps when it is negative.
    init(seconds: Int64) {
        precondition(seconds >= 0, "seconds must be 0 or more")
        self.seconds = seconds
    }

    /// Parses an IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other text, for a date that does not
    /// exist in the calendar, and for a date after `now`.
    ///
    /// - Parameter now: Seconds since 1970; a modification date cannot be later.
    init?(_ text: some Collection<UInt8>, now: Int64) {
        let bytes = Array(text)
        guard bytes.count == 29, bytes[25...].elementsEqual(" GMT".utf8),
            [4, 7, 11, 16].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }), bytes[3] == UInt8(ascii: ","),
            bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":")
        else { return nil }
        let month = Self.months.firstIndex { bytes[8..<11].elementsEqual($0.utf8) }
        guard let month, let day = Number.unsigned(bytes[5..<7]), let year = Number.unsigned(bytes[12..<16]),
            let hour = Number.unsigned(bytes[17..<19]), let minute = Number.unsigned(bytes[20..<22]),
            let second = Number.unsigned(bytes[23..<25])
        else { return nil }
        guard hour < 24, minute < 60, second < 60, year >= 1970, day >= 1, day <= Self.days(of: month, in: year)
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        // 1 January 1970 was a Thursday.
        guard bytes[..<3].elementsEqual(Self.weekdays[(days + 4) % 7].utf8) else { return nil }
        seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        guard seconds <= now else { return nil }
    }

    /// The date as IMF-fixdate; dates after the year 9999 become its last second.
    var fieldValue: String {
        let seconds = Int(min(seconds, 253_402_300_799))
        let days = seconds / 86_400
        // A lower bound of the year, because no year has more than 366 days; the loop below corrects it.
        var year = 1970 + days / 366
        while Self.daysSince1970(year: year + 1, month: 0, day: 1) <= days { year += 1 }
        var (month, rest) = (0, days - Self.daysSince1970(year: year, month: 0, day: 1))
        while rest >= Self.days(of: month, in: year) {
            rest -= Self.days(of: month, in: year)
            month += 1
        }
        let clock = seconds % 86_400
        return "\(Self.weekdays[(days + 4) % 7]), \(Self.padded(rest + 1)) \(Self.months[month]) "
            + "\(Self.padded(year / 100))\(Self.padded(year % 100)) "
            + "\(Self.padded(clock / 3600)):\(Self.padded(clock / 60 % 60)):\(Self.padded(clock % 60)) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(of month: Int, in year: Int) -> Int {
        month == 1 ? (isLeap(year) ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        // 477 leap days precede 1970.
        let leapDays = (before / 4 - before / 100 + before / 400) - 477
        let inYear = (0..<month).reduce(0) { $0 + days(of: $1, in: year) }
        return (year - 1970) * 365 + leapDays + inYear + day - 1
    }
}
