import Testing

@testable import PlatformImageLoader

struct HTTPDateTests {
    private func parse(_ text: String, now: WallTime = PolicyFixture.now) -> Int64? {
        HTTPDate.parse(Array(text.utf8), now: now)?.seconds
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("sunday, 06-nov-94 08:49:37 gmt", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Wed Nov 16 08:49:37 1994", 784_975_777), ("Sun Nov 06 08:49:37 1994", 784_111_777),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Thu, 01 Aug 2075 19:14:03 GMT", 3_331_912_443), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ] as [(String, Int64)])
    func allThreeHTTPDateFormatsAreParsed(_ row: (String, Int64)) {
        #expect(parse(row.0) == row.1)
    }

    /// Dates that Docs/http-cache.md 3.5 declares invalid.
    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994  08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37  GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        "Sun Nov  6 08:49:37 1994 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMTx", "Sun, 06 Nov 19940 08:49:37 GMT", "1994-11-06T08:49:37Z",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994", "Sun, 06 Nov -994 08:49:37 GMT",
    ])
    func invalidHTTPDatesAreRejected(_ text: String) {
        #expect(parse(text) == nil)
    }

    @Test func everyDateOf400YearsIsParsedAndFormattedToTheSameValue() {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // Counts day by day from 1970-01-01, a Thursday.
        var (year, month, day, weekday) = (1970, 0, 1, 4)
        var seconds: Int64 = 12 * 3600 + 34 * 60 + 56
        var wrong: [String] = []
        while year < 2370 {
            let text = "\(weekdays[weekday]), \(two(day)) \(months[month]) \(year) 12:34:56 GMT"
            let asctime = "\(weekdays[weekday]) \(months[month]) \(day < 10 ? " \(day)" : "\(day)") 12:34:56 \(year)"
            let rfc850 = "\(longWeekdays[weekday]), \(two(day))-\(months[month])-\(two(year % 100)) 12:34:56 GMT"
            let time = WallTime(seconds: seconds)
            if HTTPDate.format(time) != text || parse(text) != seconds || parse(asctime) != seconds
                || parse(rfc850, now: time) != seconds
            {
                wrong.append(text)
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
            day += 1
            weekday = (weekday + 1) % 7
            seconds += 86_400
            if day > length { (day, month) = (1, month + 1) }
            if month == 12 { (month, year) = (0, year + 1) }
        }

        #expect(wrong == [])
        #expect(seconds == 146_097 * 86_400 + 45_296)
    }

    /// RFC 9110 §5.6.7: a two-digit year more than 50 years in the future is a year of the past.
    /// `now` is 2023-11-14 22:13:20.
    @Test(
        arguments: [
            ("Tuesday, 14-Nov-23 22:13:20 GMT", 1_700_000_000), ("Tuesday, 14-Nov-72 22:13:20 GMT", 3_246_387_200),
            ("Tuesday, 14-Nov-73 22:13:20 GMT", 3_277_923_200), ("Tuesday, 14-Nov-73 22:13:21 GMT", 122_163_201),
            ("Tuesday, 31-Dec-73 00:00:00 GMT", 126_144_000), ("Tuesday, 01-Jan-74 00:00:00 GMT", 126_230_400),
            ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
        ] as [(String, Int64)])
    func twoDigitYearIsAtMost50YearsInTheFuture(_ row: (String, Int64)) {
        #expect(parse(row.0) == row.1)
    }

    @Test func timesBeforeYear0OrAfter9999AreClampedWhenFormatted() {
        #expect(HTTPDate.format(WallTime(milliseconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(WallTime(milliseconds: .min)) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate.format(WallTime(milliseconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func parsingTwoDigitYearsAtExtremeClockTimesDoesNotTrap() {
        for year in 0...99 {
            let text = "Sunday, 06-Nov-\(year < 10 ? "0" : "")\(year) 08:49:37 GMT"
            for now in [WallTime(milliseconds: .min), WallTime(milliseconds: .max), WallTime(seconds: -62_167_219_200)]
            {
                let parsed = parse(text, now: now)
                #expect(parsed.map { $0 % 60 == 37 || $0 % 60 == -23 } ?? true)
            }
        }
    }

    @Test func dateWithOneChangedByteIsParsedAsAValidDateOrRejected() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            let bytes = Array(text.utf8)
            for cut in bytes.indices { #expect(HTTPDate.parse(Array(bytes[..<cut]), now: PolicyFixture.now) == nil) }
            var read = 0
            for index in bytes.indices {
                for byte in UInt8.min...UInt8.max {
                    var changed = bytes
                    changed[index] = byte
                    guard let date = HTTPDate.parse(changed, now: PolicyFixture.now) else { continue }
                    read += 1
                    // Every accepted date round-trips.
                    #expect(HTTPDate.parse(Array(HTTPDate.format(date).utf8), now: PolicyFixture.now) == date)
                }
            }
            // Each byte has 255 changes, most of which must be rejected; changed digits give some valid dates.
            #expect(read > bytes.count && read < bytes.count * 10)
        }
    }

    @Test func dateOfAFieldWithTwoLinesIsNil() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"

        #expect(HeaderFields("Date", lines: [date]).date("Date", now: PolicyFixture.now)?.seconds == 784_111_777)
        #expect(HeaderFields("Date", lines: [date, date]).date("Date", now: PolicyFixture.now) == nil)
        #expect(HeaderFields().date("Date", now: PolicyFixture.now) == nil)
    }
}
