/// A date and time of day in UTC, in the proleptic Gregorian calendar, years 0 to 9999.
struct CivilDate: Hashable, Sendable {
    var year: Int64
    /// 1...12
    var month: Int64
    /// 1...31
    var day: Int64
    var hour: Int64
    var minute: Int64
    /// 0...60; a leap second counts as the first second of the next minute.
    var second: Int64

    /// Day names, indexed from Sunday = 0.
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Days from January 1 of year 0 to January 1, 1970.
    private static let epoch: Int64 = 719_528

    /// Creates a date that may be invalid; see ``isValid``.
    init(year: Int64, month: Int64, day: Int64, clock: (hour: Int64, minute: Int64, second: Int64)) {
        self.year = year
        self.month = month
        self.day = day
        (hour, minute, second) = clock
    }

    /// Converts a time, rounded down to the second and clamped to the years 0 to 9999.
    init(_ time: WallTime) {
        let first = 0 &- Self.epoch &* 86_400
        let last = (Self.daysBefore(year: 10_000) &- Self.epoch) &* 86_400 &- 1
        let seconds = min(max(time.seconds, first), last) &- first
        let days = seconds / 86_400
        // 400 years have 146,097 days; the estimate differs from the correct year by at most 1.
        year = (days &* 400) / 146_097
        while Self.daysBefore(year: year &+ 1) <= days { year &+= 1 }
        while Self.daysBefore(year: year) > days { year &-= 1 }
        day = days &- Self.daysBefore(year: year) &+ 1
        month = 1
        while day > Self.days(inMonth: month, of: year) {
            day &-= Self.days(inMonth: month, of: year)
            month &+= 1
        }
        hour = seconds % 86_400 / 3_600
        minute = seconds % 3_600 / 60
        second = seconds % 60
    }

    /// True for an existing day and time of day.
    var isValid: Bool {
        (0...9_999).contains(year) && (1...12).contains(month) && day >= 1
            && day <= Self.days(inMonth: month, of: year) && hour <= 23 && minute <= 59 && second <= 60
    }

    /// Seconds since 1970; the date must be valid.
    var seconds: Int64 {
        (daysSinceYear0 &- Self.epoch) &* 86_400 &+ hour &* 3_600 &+ minute &* 60 &+ second
    }

    /// Day of the week, 0 (Sunday) to 6 (Saturday); the date must be valid. January 1 of year 0 is a Saturday.
    var weekday: Int { Int(clamping: (daysSinceYear0 &+ 6) % 7) }

    /// Returns true when this date is later within its year than `other` is within its year.
    func isLaterInYear(than other: CivilDate) -> Bool {
        (month, day, hour, minute, second) > (other.month, other.day, other.hour, other.minute, other.second)
    }

    private var daysSinceYear0: Int64 {
        (1..<max(1, month)).reduce(Self.daysBefore(year: year) &+ day &- 1) {
            $0 &+ Self.days(inMonth: $1, of: year)
        }
    }

    /// Returns the days from January 1 of year 0 to January 1 of `year`, 0 or more.
    private static func daysBefore(year: Int64) -> Int64 {
        guard year > 0 else { return 0 }
        // The added 1 is the leap day of year 0.
        return 365 &* year &+ 1 &+ (year &- 1) / 4 &- (year &- 1) / 100 &+ (year &- 1) / 400
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
