#if Loader
/// A date and a time of day in UTC, in the Gregorian calendar of the years 0 to 9999.
struct CivilDate: Hashable, Sendable {
    var year: Int64
    /// 1...12
    var month: Int64
    /// 1...31
    var day: Int64
    var hour: Int64
    var minute: Int64
    /// 0...60: a leap second is the first second of the next minute.
    var second: Int64

    /// With Sunday first, as a number of days since one counts them.
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Days from the first of January of the year 0 to that of 1970.
    private static let epoch: Int64 = 719_528

    /// A date that may not exist; see ``isValid``.
    init(year: Int64, month: Int64, day: Int64, clock: (hour: Int64, minute: Int64, second: Int64)) {
        self.year = year
        self.month = month
        self.day = day
        (hour, minute, second) = clock
    }

    /// The second of a moment; the first or the last of the years 0 to 9999 when it is beyond them.
    init(_ time: WallTime) {
        let first = -Self.epoch * 86_400
        let last = (Self.daysBefore(year: 10_000) - Self.epoch) * 86_400 - 1
        let seconds = min(max(time.seconds, first), last) - first
        let days = seconds / 86_400
        // 400 years have 146,097 days; the estimate is the year or the one after it.
        year = (days * 400) / 146_097
        while Self.daysBefore(year: year + 1) <= days { year += 1 }
        while Self.daysBefore(year: year) > days { year -= 1 }
        day = days - Self.daysBefore(year: year) + 1
        month = 1
        while day > Self.days(inMonth: month, of: year) {
            day -= Self.days(inMonth: month, of: year)
            month += 1
        }
        hour = seconds % 86_400 / 3_600
        minute = seconds % 3_600 / 60
        second = seconds % 60
    }

    /// True for a day of the calendar and a time of the clock.
    var isValid: Bool {
        (0...9_999).contains(year) && (1...12).contains(month) && day >= 1
            && day <= Self.days(inMonth: month, of: year) && hour <= 23 && minute <= 59 && second <= 60
    }

    /// Seconds since 1970 of a valid date.
    var seconds: Int64 { (daysSinceYear0 - Self.epoch) * 86_400 + hour * 3_600 + minute * 60 + second }

    /// 0 for Sunday to 6 for Saturday, of a valid date. The first day of the year 0 is a Saturday.
    var weekday: Int { Int((daysSinceYear0 + 6) % 7) }

    /// True when this comes later in its year than `other` in its own.
    func isLaterInYear(than other: CivilDate) -> Bool {
        (month, day, hour, minute, second) > (other.month, other.day, other.hour, other.minute, other.second)
    }

    private var daysSinceYear0: Int64 {
        (1..<month).reduce(Self.daysBefore(year: year) + day - 1) { $0 + Self.days(inMonth: $1, of: year) }
    }

    /// Days from the first of January of the year 0 to that of `year`, 0 or more.
    private static func daysBefore(year: Int64) -> Int64 {
        guard year > 0 else { return 0 }
        // The year 0 is a leap year, hence the 1.
        return 365 * year + 1 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
#endif
