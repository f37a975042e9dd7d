import Testing

@testable import PlatformImageLoader

/// Rules that apply only to a shared cache (RFC 9111 §3, §4.2.1, §5.2.2).
@Suite struct SharedCacheTests {
    private static let shared: CacheSettings = {
        var settings = CacheSettings()
        settings.isSharedCache = true
        return settings
    }()

    @Test func loaderIsAPrivateCacheByDefault() {
        var configuration = ImageLoader.Configuration()
        #expect(!configuration.cacheSettings.isSharedCache)

        configuration.isSharedCache = true

        #expect(configuration.cacheSettings.isSharedCache)
    }

    @Test func responsesWithPrivateOrSetCookieAreNotStoredInASharedCache() throws {
        let table: [(fields: HeaderFields, isPrivate: Bool, isShared: Bool)] = [
            (["Cache-Control": "max-age=60"], true, true), (["Cache-Control": "public, max-age=60"], true, true),
            (["ETag": "\"a\""], true, true), (["Cache-Control": "private, max-age=60"], true, false),
            (["Cache-Control": "max-age=60, PRIVATE"], true, false),
            (["Cache-Control": "private=\"X-User\", max-age=60"], true, false),
            (["Cache-Control": "public, private"], true, false),
            (["Cache-Control": "must-understand, private"], true, false),
            (["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], true, false),
            (["Cache-Control": "max-age=60", "set-cookie": ""], true, false),
            (["Cache-Control": "no-store"], false, false),
            (["Vary": "*", "Cache-Control": "max-age=60"], false, false),
            (["Cache-Control": "no-store, must-understand"], true, true),
            (["Cache-Control": "max-age=60, x=\"private\""], true, true),
        ]
        for row in table {
            let alone = try PolicyFixture.outcome(200, row.fields)
            let all = try PolicyFixture.outcome(200, row.fields, settings: Self.shared)
            #expect((alone.entry != nil) == row.isPrivate, "\(row.fields)")
            #expect((all.entry != nil) == row.isShared, "\(row.fields)")
            // The result for the caller is the same with a private cache and with a shared cache.
            #expect(all.result == alone.result, "\(row.fields)")
        }
    }

    @Test func responsesToAuthorizedRequestsAreNotStoredInASharedCache() throws {
        let request = CacheRequest(fields: ["Authorization": "Basic YTpi"])
        for control in ["max-age=60", "public, max-age=60", "s-maxage=60", "must-revalidate, max-age=60"] {
            let fields: HeaderFields = ["Cache-Control": control]
            #expect(try PolicyFixture.outcome(200, fields, request: request).entry != nil, "\(control)")
            let all = try PolicyFixture.outcome(200, fields, request: request, settings: Self.shared)
            #expect(all.entry == nil, "\(control)")
        }
    }

    /// Lifetimes in a private and in a shared cache, in seconds.
    @Test func sMaxAgeOverridesMaxAgeInASharedCache() throws {
        let table: [(fields: HeaderFields, isPrivate: Int64, isShared: Int64)] = [
            (["Cache-Control": "max-age=10, s-maxage=60"], 10, 60),
            (["Cache-Control": "s-maxage=5, max-age=100"], 100, 5),
            (["Cache-Control": "s-maxage=60"], 0, 60), (["Cache-Control": "max-age=60"], 60, 60),
            (["Cache-Control": "s-maxage=0, max-age=60"], 60, 0), (["Cache-Control": "s-maxage=x, max-age=60"], 60, 0),
            (["Cache-Control": "s-maxage, max-age=60"], 60, 0), (["Cache-Control": "s-maxage=\"60\""], 0, 60),
            (["Cache-Control": "no-cache, s-maxage=60"], 0, 0),
            (["Cache-Control": "s-maxage=60", "Expires": "Thu, 01 Jan 1970 00:00:00 GMT"], 0, 60),
            (["Cache-Control": "s-maxage=60, s-maxage=5"], 0, 60),
        ]
        for row in table {
            let response = PolicyFixture.response(row.fields)
            for (settings, seconds) in [(CacheSettings(), row.isPrivate), (Self.shared, row.isShared)] {
                let freshness = Freshness(
                    of: response, control: CacheControl(row.fields), settings: settings, now: PolicyFixture.now)
                #expect(freshness.lifetime == seconds * 1000, "\(row.fields)")
            }
        }
    }

    @Test func proxyRevalidateAndSMaxAgeForbidStaleUseInASharedCache() throws {
        let table: [(control: String, isPrivate: Bool, isShared: Bool)] = [
            ("max-age=1", true, true), ("max-age=1, proxy-revalidate", true, false), ("s-maxage=1", true, false),
            ("max-age=1, must-revalidate", false, false), ("no-cache", false, false),
        ]
        for row in table {
            let entry = try PolicyFixture.entry(["Cache-Control": row.control], age: 60)
            for (settings, isAllowed) in [(CacheSettings(), row.isPrivate), (Self.shared, row.isShared)] {
                let decision = CacheDecision.decide(
                    entry: entry, request: CacheRequest(policy: .cacheOnly), settings: settings, now: PolicyFixture.now)
                #expect((decision != .notInCache) == isAllowed, "\(row.control)")
            }
        }
    }

    /// The configuration may have changed since the entry was stored.
    @Test func entryWithPrivateOrSetCookieIsNotUsedByASharedCache() throws {
        for fields: HeaderFields in [
            ["Cache-Control": "private, max-age=600"], ["Cache-Control": "max-age=600", "Set-Cookie": "a=b"],
        ] {
            let entry = try PolicyFixture.entry(fields)
            let alone = CacheDecision.decide(
                entry: entry, request: CacheRequest(), settings: CacheSettings(), now: PolicyFixture.now)
            let all = CacheDecision.decide(
                entry: entry, request: CacheRequest(), settings: Self.shared, now: PolicyFixture.now)

            guard case .useStored = alone else { throw PolicyFixture.Missing() }
            #expect(all == .send(RequestPlan(), provisional: nil), "\(fields)")
        }
    }

    @Test func response304WithPrivateOrSetCookieRemovesTheEntryOfASharedCache() throws {
        let entry = try PolicyFixture.entry(["ETag": "\"a\"", "Cache-Control": "max-age=1"], age: 60)
        for news: HeaderFields in [["Cache-Control": "private"], ["Set-Cookie": "a=b"]] {
            #expect(try PolicyFixture.outcome(304, news, entry: entry, settings: Self.shared).store == .remove)
            #expect(try PolicyFixture.outcome(304, news, entry: entry).store != .remove)
        }
    }

    @Test func privateErrorResponseIsNotStoredInASharedCache() throws {
        let fields: HeaderFields = ["Cache-Control": "private, max-age=60"]

        #expect(try PolicyFixture.outcome(404, fields).entry != nil)
        #expect(try PolicyFixture.outcome(404, fields, settings: Self.shared).entry == nil)
        #expect(try PolicyFixture.outcome(404, ["Cache-Control": "s-maxage=60"], settings: Self.shared).entry != nil)
    }
}
