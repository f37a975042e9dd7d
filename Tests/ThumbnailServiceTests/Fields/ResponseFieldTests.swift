import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Docs/service-rules.md 4, points 1 and 2: entity tags, dates and lifetimes.
@Suite struct ResponseFieldTests {
    @Test func entityTagDependsOnSourceAndOperationsAndFormatAndVersion() {
        let tag = tag()

        #expect(tag == self.tag())
        #expect(tag.fieldValue.utf8.count == 24)
        let characters = ASCIISet.alphanumerics.union("-_")
        #expect(tag.fieldValue.utf8.dropFirst().dropLast().allSatisfy { characters.contains($0) })
        for other in [
            self.tag(source: "t"), self.tag(operations: "p"), self.tag(format: "image/png"), self.tag(version: 2),
            self.tag(source: "so", operations: ""), self.tag(source: "", operations: "so"),
        ] {
            #expect(other != tag)
        }
    }

    @Test func entityTagMatchesAnIfNoneMatchListThatContainsIt() {
        let tag = ETag(fieldValue: "\"abc\"")

        for value in [
            "\"abc\"", "W/\"abc\"", " \"abc\" ", "\"x\", \"abc\"", "\"x\",W/\"abc\",\"y\"", "*", " * ", "\"\",\"abc\"",
            "\"a,b\", \"abc\"", "x, \"abc\"", ",,\"abc\"", "\"x\"\"abc\"",
        ] {
            #expect(tag.matches(ifNoneMatch: value.utf8), "\(value)")
        }
        for value in [
            "", ",", "abc", "\"abcd\"", "\"ab\"", "\"abc", "abc\"", "W/abc", "\"x\", \"abc", "\"x,\"abc\"", "w/\"abc\"",
            "\"ABC\"", "* x", "\"x, \", abc",
        ] {
            #expect(!tag.matches(ifNoneMatch: value.utf8), "\(value)")
        }
    }

    /// Dates as printed by `date -u -d @N`.
    static let dates: [(Int64, String)] = [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ]

    @Test(arguments: dates)
    func lastModifiedDateIsParsedAndFormatted(_ seconds: Int64, _ text: String) {
        #expect(LastModified(text.utf8, now: .max)?.seconds == seconds)
        #expect(LastModified(seconds: seconds).fieldValue == text)
    }

    @Test func formattedLastModifiedDateIsParsedToTheSameValue() {
        for day in 0..<36_525 where day % 7 == 0 || day % 365 < 2 {
            let seconds = Int64(day) * 86_400 + Int64(day % 86_400)
            #expect(LastModified(LastModified(seconds: seconds).fieldValue.utf8, now: .max)?.seconds == seconds)
        }
        #expect(LastModified(seconds: .max).fieldValue == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test(.requirement("SV19")) func invalidOrFutureLastModifiedDateIsRejected() {
        for text in [
            "", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Thu, 30 Feb 2023 00:00:00 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT", "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
            "Sun, 06 Nov 1994 -8:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\r\nX: y",
            "Sun, 06 Nov 1994\r08:49:37 GMT",
        ] {
            #expect(LastModified(text.utf8, now: .max) == nil, "\(text)")
        }
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(LastModified(text.utf8, now: 784_111_777) != nil)
        #expect(LastModified(text.utf8, now: 784_111_776) == nil)
    }

    struct Case: Sendable {
        var mode = CacheLifetime.Mode.min
        var remaining: Int?
        var age = 0
        var resultAge = 0
        var value: String
        var sentAge: Int?
    }

    @Test(arguments: [
        Case(value: "public, max-age=1000"), Case(remaining: 300, value: "public, max-age=300"),
        Case(remaining: 3000, value: "public, max-age=1000"), Case(remaining: 0, value: "public, max-age=0"),
        Case(remaining: -5, value: "public, max-age=0"), Case(resultAge: 400, value: "public, max-age=600"),
        Case(resultAge: 1400, value: "public, max-age=0"), Case(remaining: 100, age: 50, value: "public, max-age=100"),
        Case(mode: .ttl, value: "public, max-age=1000"), Case(mode: .ttl, remaining: 5, value: "public, max-age=1000"),
        Case(mode: .ttl, resultAge: 999, value: "public, max-age=1"),
        Case(mode: .passthrough, value: "public, max-age=0", sentAge: 0),
        Case(mode: .passthrough, remaining: 5000, value: "public, max-age=5000", sentAge: 0),
        Case(mode: .passthrough, remaining: 300, age: 200, value: "public, max-age=500", sentAge: 200),
        Case(mode: .passthrough, remaining: -7, age: 200, value: "public, max-age=200", sentAge: 200),
        Case(mode: .passthrough, remaining: .max, age: .max, value: "public, max-age=2147483648", sentAge: 1 << 31),
    ])
    func cacheControlLifetimeIsComputedForEachCacheMode(_ test: Case) {
        let source = CacheLifetime.Source(remaining: test.remaining, age: test.age)

        let lifetime = CacheLifetime(
            of: source, policy: .init(), settings: .init(mode: test.mode, ttl: 1000), resultAge: test.resultAge, now: 0)

        #expect(lifetime.cacheControl == test.value)
        #expect(lifetime.age == test.sentAge)
        #expect(lifetime.isShareable)
    }

    @Test func maxAgeAndExpireFiltersCanOnlyShortenTheLifetime() {
        let settings = CacheLifetime.Settings(ttl: 1000)
        func seconds(_ policy: ResponsePolicy, resultAge: Int = 0, now: Int64 = 50_000) -> Int {
            CacheLifetime(of: .init(), policy: policy, settings: settings, resultAge: resultAge, now: now).remaining
        }

        #expect(seconds(ResponsePolicy(maxAge: 60)) == 60)
        #expect(seconds(ResponsePolicy(maxAge: 60), resultAge: 20) == 40)
        #expect(seconds(ResponsePolicy(maxAge: 0)) == 0)
        #expect(seconds(ResponsePolicy(maxAge: 5000)) == 1000)
        #expect(seconds(ResponsePolicy(expires: 60_999)) == 10)
        #expect(seconds(ResponsePolicy(expires: 50_000)) == 0)
        #expect(seconds(ResponsePolicy(expires: 1)) == 0)
        #expect(seconds(ResponsePolicy(expires: .max), now: .min) == 1000)
        #expect(seconds(ResponsePolicy(maxAge: 60, expires: 60_000)) == 10)
    }

    @Test func responseOfAPrivateSourceIsPrivateAndResponseOfANoStoreSourceIsNoStore() {
        let settings = CacheLifetime.Settings(ttl: 1000, staleWhileRevalidate: 30, isImmutable: true)
        let own = CacheLifetime(of: .init(isPrivate: true), policy: .init(), settings: settings, now: 0)
        let none = CacheLifetime(of: .init(forbidsStoring: true), policy: .init(), settings: settings, now: 0)
        let shared = CacheLifetime(of: .init(), policy: .init(), settings: settings, now: 0)
        let stale = CacheLifetime(of: .init(remaining: 0), policy: .init(), settings: settings, now: 0)

        #expect((own.cacheControl, own.isShareable) == ("private, max-age=1000", false))
        #expect((none.cacheControl, none.isShareable) == ("no-store", false))
        #expect(none.remaining == 0)
        #expect(shared.cacheControl == "public, max-age=1000, stale-while-revalidate=30, immutable")
        #expect(stale.cacheControl == "public, max-age=0")
    }

    @Test func resultOfADamagedSourceIsCachedForTheNegativeTTL() {
        let settings = CacheLifetime.Settings(ttl: 1000, staleWhileRevalidate: 30, negativeTTL: 60)

        let lifetime = CacheLifetime(
            of: .init(remaining: 500), policy: .init(), settings: settings, resultAge: 10, isDamaged: true, now: 0)

        #expect(lifetime.cacheControl == "public, max-age=50")
    }

    /// The table of Docs/service-rules.md 2.4: an error with a 5xx status is never stored.
    @Test func errors404And413And415And422AreCachedForTheNegativeTTLAndOthersAreNoStore() {
        for reason in ServiceError.Reason.allCases {
            let error = ServiceError(reason, "")
            let value = CacheLifetime(of: error, settings: .init()).cacheControl
            let isKept = [404, 413, 415, 422].contains(error.status)
            #expect(value == (isKept ? "public, max-age=60" : "no-store"), "\(reason)")
            #expect(CacheLifetime(of: error, settings: .init(negativeTTL: 0)).cacheControl == "no-store")
        }
    }

    @Test(
        .requirement("SV19"),
        arguments: [
            (nil, "inline"), ("", "attachment"), ("a.jpg", "attachment; filename=\"a.jpg\""),
            ("a b, c.jpg", "attachment; filename=\"a b, c.jpg\""),
            ("\u{FC}.jpg", "attachment; filename=\"__.jpg\"; filename*=UTF-8''%C3%BC.jpg"),
            ("a\"b\\c%41.jpg", "attachment; filename=\"a_b_c_41.jpg\"; filename*=UTF-8''a%22b%5Cc%2541.jpg"),
            ("a\r\nb\u{0}", "attachment; filename=\"a__b_\"; filename*=UTF-8''a%0D%0Ab%00"),
        ])
    func attachmentNameIsQuotedAndEncodedAsASCIIInContentDisposition(_ name: String?, _ value: String) {
        #expect(ResponsePolicy(attachmentName: name).contentDisposition == value)
    }

    private func tag(
        source: String = "s", operations: String = "o", format: String = "image/jpeg", version: Int = 1
    ) -> ETag {
        ETag(source: source.utf8, operations: operations.utf8, format: format, version: version)
    }
}
