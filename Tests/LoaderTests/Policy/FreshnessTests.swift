import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct FreshnessTests {
    private let now = PolicyFixture.now

    private func date(_ seconds: Int64) -> String { HTTPDate.format(now.adding(milliseconds: seconds * 1000)) }

    private func freshness(
        _ response: StoredResponse, _ settings: CacheSettings = CacheSettings(), now: WallTime? = nil
    ) -> Freshness {
        Freshness(
            of: response, control: CacheControl(response.fields), settings: settings, now: now ?? PolicyFixture.now)
    }

    private func lifetime(
        _ fields: HeaderFields, status: Int = 200, _ settings: CacheSettings = CacheSettings()
    ) -> Int64? {
        freshness(PolicyFixture.response(fields, status: status), settings).lifetime.map { $0 / 1000 }
    }

    @Test(.requirement("O23", "O24")) func noCacheOverridesMaxAgeAndMaxAgeOverridesExpiresForTheLifetime() {
        let expires = date(600)

        #expect(lifetime(["Cache-Control": "max-age=60", "Expires": expires]) == 60)
        #expect(lifetime(["Cache-Control": "no-cache, max-age=60"]) == 0)
        #expect(lifetime(["Cache-Control": "no-cache=\"x\", max-age=60"]) == 60)
        #expect(lifetime(["Cache-Control": "max-age=60, s-maxage=1, proxy-revalidate, private"]) == 60)
        #expect(lifetime(["Cache-Control": "s-maxage=60"]) == 0)
        #expect(lifetime(["Cache-Control": "max-age=x", "Expires": expires]) == 0)
        #expect(lifetime(["Cache-Control": "public", "Expires": expires, "Date": date(0)]) == 600)
        #expect(lifetime(["Cache-Control": "immutable"]) == 0)
        #expect(lifetime(["Last-Modified": date(-1_000_000)]) == 0)
        #expect(lifetime([:]) == 0)
    }

    @Test func expiresLifetimeStartsAtTheDateField() {
        #expect(lifetime(["Expires": date(600), "Date": date(-100)]) == 700)
        #expect(lifetime(["Expires": date(600), "Date": "no date"]) == 600)
        #expect(lifetime(["Expires": date(600)]) == 600)
        #expect(lifetime(["Expires": date(-600), "Date": date(0)]) == 0)
        #expect(lifetime(["Expires": "0"]) == 0)
        #expect(lifetime(["Expires": "Fri, 31 Dec 9999 23:59:59 GMT"]) == DeltaSeconds.max)
    }

    @Test func responseWithSeveralExpiresLinesIsExpired() {
        let fields = HeaderFields("Expires", lines: [date(600), date(600)])

        #expect(lifetime(fields) == 0)
    }

    @Test func responseTimeReplacesTheDateOfAResponseWithSeveralDateLines() {
        var fields = HeaderFields("Date", lines: [date(-500), date(-500)])
        fields.append("Expires", date(600))

        #expect(lifetime(fields) == 600)
        #expect(freshness(PolicyFixture.response(fields)).age == 0)
    }

    @Test(.requirement("O24")) func defaultLifetimeAppliesOnlyWithoutACacheControlOrExpiresField() {
        var settings = CacheSettings()
        settings.defaultCacheControlMaxAge = .seconds(30)

        for status in [200, 203, 301, 308] { #expect(lifetime([:], status: status, settings) == 30) }
        for status in [299, 302, 303, 307, 404, 410, 500] { #expect(lifetime([:], status: status, settings) == 0) }
        #expect(lifetime(["ETag": "\"a\""], settings) == 30)
        #expect(lifetime(["Cache-Control": "private"], settings) == 0)
        #expect(lifetime(["Cache-Control": ""], settings) == 0)
        #expect(lifetime(["Expires": "0"], settings) == 0)
        #expect(lifetime(["Cache-Control": "max-age=5"], settings) == 5)
    }

    @Test func negativeAndHugeDefaultLifetimesDoNotTrap() {
        var settings = CacheSettings()
        for duration in [Duration.seconds(-5), .seconds(Int64.min), .seconds(Int64.max), .milliseconds(1)] {
            settings.defaultCacheControlMaxAge = duration
            #expect(freshness(PolicyFixture.response([:]), settings).lifetime ?? -1 >= 0)
        }
    }

    @Test(.requirement("O31")) func lifetimeIsUnlimitedWithServerCachePolicyDisabled() {
        var settings = CacheSettings()
        settings.useServerCachePolicy = false
        let response = PolicyFixture.response(["Cache-Control": "no-cache, max-age=0"], age: 1_000_000)

        #expect(freshness(response, settings).lifetime == nil)
        #expect(freshness(response, settings).isFresh)
        #expect(freshness(response, settings, now: WallTime(seconds: 0)).isFresh)
    }

    /// RFC 9111 §4.2.3: seconds from Date to the response, Age, response delay, resident time; expected age.
    @Test(
        arguments: [
            (0, nil, 0, 0, 0), (0, nil, 0, 10, 10), (5, nil, 0, 10, 15), (-5, nil, 0, 10, 10), (5, 3, 0, 0, 5),
            (3, 5, 0, 0, 5), (0, 5, 2, 10, 17), (8, 5, 2, 10, 18), (7, 5, 2, 10, 17), (0, nil, 4, 1, 5),
            (nil, nil, 0, 7, 7), (nil, 9, 1, 7, 17), (0, 2_147_483_648, 0, 0, 2_147_483_648),
            (0, 2_147_483_648, 100, 100, 2_147_483_648), (100_000, 5, 0, 1, 100_001),
        ] as [(Int64?, Int64?, Int64, Int64, Int64)])
    func ageIsTheCorrectedInitialAgePlusTheResidentTime(_ row: (Int64?, Int64?, Int64, Int64, Int64)) {
        let (date, age, delay, resident, expected) = row
        let responseTime = now.adding(milliseconds: -resident * 1000)
        var fields: HeaderFields = [:]
        if let date { fields.append("Date", HTTPDate.format(responseTime.adding(milliseconds: -date * 1000))) }
        if let age { fields.append("Age", String(age)) }
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: responseTime.adding(milliseconds: -delay * 1000),
            responseTime: responseTime, createdAt: responseTime)

        #expect(freshness(response).age == expected * 1000)
    }

    @Test func responseWithADateInTheCurrentSecondHasAgeZero() {
        let responseTime = now.adding(milliseconds: 999)
        let response = StoredResponse(
            status: 200, fields: ["Date": HTTPDate.format(now)], requestTime: responseTime, responseTime: responseTime,
            createdAt: responseTime)

        #expect(freshness(response, now: responseTime).age == 0)
    }

    @Test(.requirement("O23")) func responseIsFreshWhileItsAgeIsBelowItsLifetime() {
        for age in Int64(0)...20 {
            let response = PolicyFixture.response(["Cache-Control": "max-age=10"], age: age)
            #expect(freshness(response).isFresh == (age < 10))
        }
        #expect(!freshness(PolicyFixture.response(["Cache-Control": "max-age=0"])).isFresh)
        #expect(!freshness(PolicyFixture.response(["Cache-Control": "max-age=10", "Age": "15"])).isFresh)
        #expect(freshness(PolicyFixture.response(["Cache-Control": "max-age=10", "Age": "15; x=1"])).isFresh)
    }

    @Test(.requirement("O23")) func responseIsStaleAfterTheClockIsSetBack() {
        let response = PolicyFixture.response(["Cache-Control": "max-age=1000000"])

        #expect(freshness(response).isFresh)
        #expect(!freshness(response, now: now.adding(milliseconds: -1)).isFresh)
        #expect(!freshness(response, now: WallTime(milliseconds: .min)).isFresh)
        #expect(freshness(response, now: WallTime(milliseconds: .min)).remaining == nil)
        #expect(!freshness(response, now: WallTime(milliseconds: .max)).isFresh)
    }

    @Test func ageComputationAtExtremeTimesDoesNotTrap() {
        let ends = [WallTime(milliseconds: .min), WallTime(milliseconds: .max), WallTime(milliseconds: 0), now]
        for request in ends {
            for arrival in ends {
                for clock in ends {
                    let response = StoredResponse(
                        status: 200,
                        fields: [
                            "Age": "9999999999", "Date": "Sat, 01 Jan 0000 00:00:00 GMT",
                            "Expires": "Fri, 31 Dec 9999 23:59:59 GMT",
                        ],
                        requestTime: request, responseTime: arrival, createdAt: arrival)
                    let age = freshness(response, now: clock).age
                    #expect(age >= 0 && age <= DeltaSeconds.max * 1000)
                }
            }
        }
    }
}
