#if Tool && Service
import PlatformImageLoader

/// A moment as RFC 3339 has it, in UTC with milliseconds: `2026-11-21T21:43:07.120Z`.
enum LogTime {
    static func text(_ time: WallTime) -> String {
        let second = time.seconds
        let inDay = (second % 86_400 + 86_400) % 86_400
        let day = (second - inDay) / 86_400
        // Days from the first of March of the year 0, so that the day that is not always there is a year's last.
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
#endif
