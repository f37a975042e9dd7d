/// The Date field of responses, rendered once per second (RFC 9110 §6.6.1, §5.6.7).
struct DateField: Sendable {
    /// The field with its line end.
    private(set) var bytes: [UInt8] = []
    private var isValidUntil: UInt64 = 0

    /// Renders the field again when the second has ended.
    ///
    /// - Parameters:
    ///   - now: Milliseconds of the loop's clock.
    ///   - wallClock: Returns nanoseconds since 1970; called once per second.
    mutating func update(now: UInt64, wallClock: () -> Int64) {
        guard now >= isValidUntil else { return }
        let nanoseconds = max(0, wallClock())
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        isValidUntil = now &+ UInt64(1_000 - rest / 1_000_000)
        bytes.removeAll(keepingCapacity: true)
        bytes.append("Date: ")
        Self.append(seconds, to: &bytes)
        bytes.append("\r\n")
    }

    /// Appends a time as IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter seconds: Seconds since 1970, 0 or more.
    static func append(_ seconds: Int64, to bytes: inout [UInt8]) {
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let names = "ThuFriSatSunMonTueWed"
        let months = "JanFebMarAprMayJunJulAugSepOctNovDec"
        let date = civilDate(days)
        bytes.append(contentsOf: names.utf8.dropFirst(Int(days % 7) * 3).prefix(3))
        bytes.append(", ")
        append(digits: date.day, 2, to: &bytes)
        bytes.append(.space)
        bytes.append(contentsOf: months.utf8.dropFirst((date.month - 1) * 3).prefix(3))
        bytes.append(.space)
        append(digits: date.year, 4, to: &bytes)
        bytes.append(.space)
        append(digits: Int(time / 3_600), 2, to: &bytes)
        bytes.append(.colon)
        append(digits: Int(time / 60 % 60), 2, to: &bytes)
        bytes.append(.colon)
        append(digits: Int(time % 60), 2, to: &bytes)
        bytes.append(" GMT")
    }

    /// The date of a day since 1970 in the Gregorian calendar. Years of this computation begin in March, so that the
    /// leap day is the last day of its year; eras have 400 years.
    private static func civilDate(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isAfterDecember = month >= 10
        return (
            Int(year + era * 400) + (isAfterDecember ? 1 : 0), Int(month) + (isAfterDecember ? -9 : 3), Int(day)
        )
    }

    private static func append(digits value: Int, _ count: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(truncatingIfNeeded: value / divisor % 10) + 0x30)
            divisor /= 10
        }
    }
}
