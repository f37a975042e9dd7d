import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct CacheOutcomeTests {
    private let now = PolicyFixture.now

    private func stale(_ fields: HeaderFields = [:], _ directives: String = "") throws -> CacheEntry {
        var all: HeaderFields = ["Cache-Control": "max-age=10, \(directives)", "ETag": "\"a\""]
        all.lines += fields.lines
        return try PolicyFixture.entry(all, age: 60)
    }

    private func isWritten(_ outcome: CacheOutcome) -> Bool {
        if case .write = outcome.store { true } else { false }
    }

    @Test(.requirement("O40"), arguments: [200, 203, 207, 226, 299])
    func successfulResponseIsStoredWhetherOrNotItHasALifetime(_ status: Int) throws {
        let fields: [HeaderFields] = [
            [:], ["ETag": "\"a\""], ["Cache-Control": "max-age=5"], ["Cache-Control": "no-cache"],
        ]
        for fields in fields {
            let outcome = try PolicyFixture.outcome(status, fields)

            #expect(outcome.result == .received(fields))
            #expect(
                outcome.store
                    == .write(
                        CacheEntry(
                            key: try PolicyFixture.key(), response: PolicyFixture.response(fields, status: status)),
                        storesBody: true))
        }
    }

    @Test(
        .requirement("O40"),
        arguments: [100, 101, 103, 201, 202, 204, 205, 206, 300, 304, 305, 306, 399, 600, 999, 0, -1])
    func responseWithAStatusThatIsNeverStoredDoesNotChangeTheStoredEntry(_ status: Int) throws {
        let fields: HeaderFields = ["Cache-Control": "max-age=100"]
        var plan = RequestPlan()
        plan.isUnconditionalRetry = true
        let outcome = CacheOutcome.decide(
            entry: try stale(), key: try PolicyFixture.key(),
            exchange: CacheExchange(request: CacheRequest(), plan: plan, requestTime: now, responseTime: now),
            result: .response(ResponseHead(status: status, fields: fields), body: .complete(bytes: 1)),
            settings: CacheSettings(), now: now)

        #expect(outcome == CacheOutcome(result: .received(fields), store: .nothing))
    }

    @Test func connectionSpecificFieldsAreNotStored() throws {
        let outcome = try PolicyFixture.outcome(200, ["A": "1", "Connection": "x, B", "B": "2"])

        #expect(outcome.entry?.response?.fields == ["A": "1"])
        #expect(outcome.result == .received(["A": "1"]))
    }

    @Test(.requirement("O27"), arguments: ["no-store", "No-Store, max-age=100", "max-age=100, no-store", "no-store=x"])
    func noStoreResponseRemovesTheStoredEntry(_ directives: String) throws {
        for entry in [nil, try stale()] {
            let outcome = try PolicyFixture.outcome(200, ["Cache-Control": directives], entry: entry)
            #expect(outcome.store == .remove)
        }
    }

    @Test func responseWithVaryAsteriskIsNotStored() throws {
        #expect(try PolicyFixture.outcome(200, ["Vary": "a, *"], entry: stale()).store == .remove)
    }

    @Test func noStoreResponseKeepsEntriesOfOtherVariants() throws {
        let entry = try PolicyFixture.entry(["Vary": "Foo"], request: ["Foo": "1"])
        let request = CacheRequest(fields: ["Foo": "2"])

        #expect(
            try PolicyFixture.outcome(200, ["Cache-Control": "no-store"], entry: entry, request: request).store
                == .nothing)
    }

    @Test func requestWithNoStoreStoresNothing() throws {
        let request = CacheRequest(fields: ["Cache-Control": "no-store"])

        #expect(try PolicyFixture.outcome(200, request: request).entry == nil)
        #expect(try PolicyFixture.outcome(301, ["Cache-Control": "max-age=9"], request: request).store == .nothing)
        #expect(try PolicyFixture.outcome(404, ["Cache-Control": "max-age=9"], request: request).store == .nothing)
        #expect(try PolicyFixture.outcome(304, ["X": "1"], entry: stale(), request: request).store == .nothing)
    }

    /// RFC 9111 §5.2.2.3: status, and whether a response with `must-understand` is stored, with or without `no-store`.
    @Test(arguments: [
        (200, true), (203, true), (301, true), (302, true), (303, true), (307, true), (308, true), (404, true),
        (410, true), (299, false), (403, false), (500, false), (599, false),
    ])
    func mustUnderstandOverridesNoStoreForKnownStatuses(_ row: (Int, Bool)) throws {
        let directives = ["must-understand, max-age=100", "must-understand, no-store, max-age=100"]
        for directives in directives {
            let outcome = try PolicyFixture.outcome(row.0, ["Cache-Control": directives])
            #expect(isWritten(outcome) == row.1)
        }
    }

    @Test(.requirement("O42")) func incompleteOrRejectedBodyDoesNotChangeTheStoredEntry() throws {
        let fields: HeaderFields = ["Cache-Control": "max-age=100, no-store"]

        let incomplete = try PolicyFixture.outcome(200, fields, body: .incomplete, entry: stale())
        #expect(incomplete == CacheOutcome(result: .transportFailure, store: .nothing))
        let rejected = try PolicyFixture.outcome(200, fields, body: .rejected, entry: stale())
        #expect(rejected == CacheOutcome(result: .received(fields), store: .nothing))
        #expect(try PolicyFixture.outcome(302, ["Cache-Control": "max-age=9"], body: .incomplete).store == .nothing)
    }

    /// Status, Cache-Control, `defaultCacheControlMaxAge` in seconds, and whether the redirect is stored.
    @Test(
        arguments: [
            (301, nil, 0, false), (301, nil, 60, true), (308, nil, 60, true), (302, nil, 60, false),
            (307, nil, 60, false),
            (303, nil, 60, false), (301, "public", 60, false), (302, "max-age=9", 0, true), (303, "max-age=9", 0, true),
            (307, "max-age=9", 0, true), (308, "max-age=9", 0, true), (301, "max-age=9", 0, true),
            (302, "max-age=9, no-store", 0, false), (302, "no-cache", 0, false), (302, "s-maxage=9", 0, false),
        ] as [(Int, String?, Int64, Bool)])
    func redirectIsStoredOnlyWithALifetime(_ row: (Int, String?, Int64, Bool)) throws {
        var settings = CacheSettings()
        settings.defaultCacheControlMaxAge = .seconds(row.2)
        let fields: HeaderFields = row.1.map { ["Cache-Control": $0, "Location": "/x"] } ?? ["Location": "/x"]

        #expect(isWritten(try PolicyFixture.outcome(row.0, fields, settings: settings)) == row.3)
    }

    @Test func redirectWithoutALifetimeKeepsAStoredImageAndRemovesAStoredRedirect() throws {
        let redirect = try PolicyFixture.entry(["Cache-Control": "max-age=1"], status: 302, age: 9)

        #expect(try PolicyFixture.outcome(302, entry: stale()).store == .nothing)
        #expect(try PolicyFixture.outcome(302, entry: redirect).store == .remove)
    }

    @Test(.requirement("O23", "O26")) func response304UpdatesFieldsAndFreshnessOfTheStoredEntry() throws {
        let entry = try stale(["A": "1", "Age": "5"])
        let outcome = try PolicyFixture.outcome(
            304, ["A": "2", "Date": HTTPDate.format(now), "Cache-Control": "max-age=50"], entry: entry)

        guard case .update(let updated) = outcome.store, case .notModified(let shown) = outcome.result else {
            return #expect(Bool(false), "\(outcome)")
        }
        #expect(updated.response?.fields.text("A") == "2")
        #expect(updated.response?.fields.contains("Age") == false)
        #expect(updated.response?.createdAt == entry.response?.createdAt)
        #expect(updated.failure == nil)
        #expect(shown.isFresh && shown.status == 200 && shown.fields.text("Age") == "0")
        let next = CacheDecision.decide(
            entry: updated, request: CacheRequest(), settings: CacheSettings(), now: now.adding(milliseconds: 49_000))
        if case .useStored(let shown, nil) = next { #expect(shown.isFresh) } else { #expect(Bool(false), "\(next)") }
    }

    @Test(.requirement("O25")) func response304WithoutCacheControlKeepsTheStoredDirectives() throws {
        let outcome = try PolicyFixture.outcome(304, entry: stale([:], "must-revalidate"))

        #expect(outcome.entry?.response?.fields.text("Cache-Control") == "max-age=10, must-revalidate")
        #expect(outcome.entry?.response.map { CacheControl($0.fields).forbidsStale } == true)
    }

    @Test(.requirement("O25")) func defaultLifetimeStartsAtThe304Response() throws {
        var settings = CacheSettings()
        settings.defaultCacheControlMaxAge = .seconds(30)
        let entry = try PolicyFixture.entry(["ETag": "\"a\"", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], age: 60)

        let updated = try #require(try PolicyFixture.outcome(304, entry: entry, settings: settings).entry)

        for (age, isFresh) in [(Int64(29), true), (30, false)] {
            let later = now.adding(milliseconds: age * 1000)
            let next = CacheDecision.decide(entry: updated, request: CacheRequest(), settings: settings, now: later)
            if case .useStored = next { #expect(isFresh) } else { #expect(!isFresh) }
        }
    }

    @Test(.requirement("O27")) func response304WithNoStoreOrVaryAsteriskIsUsedAndTheStoredEntryIsRemoved() throws {
        for fields in [["Cache-Control": "no-store"], ["Vary": "*"]] as [HeaderFields] {
            let outcome = try PolicyFixture.outcome(304, fields, entry: stale())

            #expect(outcome.store == .remove)
            if case .notModified = outcome.result {} else { #expect(Bool(false), "\(outcome.result)") }
        }
    }

    @Test func response304WithAnotherETagRepeatsTheRequestUnconditionally() throws {
        let request = CacheRequest(policy: .revalidate)
        let outcome = try PolicyFixture.outcome(304, ["ETag": "\"b\""], entry: stale(), request: request)

        guard case .retryUnconditionally(let plan) = outcome.result else { return #expect(Bool(false), "\(outcome)") }
        #expect(outcome.store == .nothing)
        #expect(plan.addedFields == ["Cache-Control": "max-age=0"])
        #expect(!plan.isConditional && plan.isUnconditionalRetry)
        let again = CacheOutcome.decide(
            entry: try stale(), key: try PolicyFixture.key(),
            exchange: CacheExchange(request: request, plan: plan, requestTime: now, responseTime: now),
            result: .response(ResponseHead(status: 304, fields: [:]), body: .complete(bytes: 0)),
            settings: CacheSettings(), now: now)
        #expect(again == CacheOutcome(result: .received([:]), store: .nothing))
    }

    @Test(.requirement("O28")) func response304ForARemovedOrReplacedEntryRepeatsTheRequest() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let plan = RequestPlan(
            addedFields: ["If-None-Match": "\"a\"", "If-Modified-Since": date], isConditional: true)
        let replacements: [HeaderFields] = [
            [:], ["ETag": "\"b\"", "Last-Modified": date], ["Last-Modified": date], ["ETag": "\"a\""],
        ]
        for entry in try replacements.map({ try PolicyFixture.entry($0) }) + [nil] {
            let outcome = CacheOutcome.decide(
                entry: entry, key: try PolicyFixture.key(),
                exchange: CacheExchange(request: CacheRequest(), plan: plan, requestTime: now, responseTime: now),
                result: .response(ResponseHead(status: 304, fields: [:]), body: .complete(bytes: 0)),
                settings: CacheSettings(), now: now)

            #expect(outcome.result == .retryUnconditionally(RequestPlan(isUnconditionalRetry: true)))
            #expect(outcome.store == .nothing)
        }
    }

    @Test func requestFieldValuesNamedInANewVaryOfA304AreStored() throws {
        let request = CacheRequest(fields: ["Foo": "1"])
        let updated = try PolicyFixture.outcome(304, ["Vary": "Foo"], entry: stale(), request: request).entry

        #expect(updated?.response?.vary == [VaryValue(name: "foo", value: [0x31])])
    }

    @Test(arguments: [200, 304, 404, 206, 500])
    func responseToARequestThatBypassesTheCacheStoresNothing(_ status: Int) throws {
        let request = CacheRequest(fields: ["If-None-Match": "\"a\""])
        var settings = CacheSettings()
        settings.staleIfError = .upTo(.seconds(1_000_000))
        settings.defaultCacheControlMaxAgeForErrors = .seconds(60)
        let outcome = try PolicyFixture.outcome(status, entry: stale(), request: request, settings: settings)

        #expect(outcome == CacheOutcome(result: .received([:]), store: .nothing))
    }

    @Test(.requirement("O31")) func successesAndRedirectsAreStoredWithServerCachePolicyDisabled() throws {
        var settings = CacheSettings()
        settings.useServerCachePolicy = false
        for status in [200, 203, 299, 301, 302, 303, 307, 308] {
            for directives in ["no-store", "no-cache", "must-understand, no-store", "private"] {
                #expect(isWritten(try PolicyFixture.outcome(status, ["Cache-Control": directives], settings: settings)))
            }
        }
        #expect(try PolicyFixture.outcome(200, ["Vary": "*"], settings: settings).store == .remove)
        #expect(try PolicyFixture.outcome(404, ["Cache-Control": "max-age=9"], settings: settings).store == .nothing)
    }

    /// The value of `staleIfError`, the Cache-Control directives of the entry, and whether the stale image is used 50 s
    /// after its lifetime ended.
    @Test(
        arguments: [
            (.never, "stale-if-error=99", false), (.serverDirective, "stale-if-error=50", true),
            (.serverDirective, "stale-if-error=49", false), (.serverDirective, "", false),
            (.upTo(.seconds(50)), "", true), (.upTo(.seconds(49)), "", false),
            (.upTo(.seconds(1)), "stale-if-error=99", true), (.upTo(.seconds(99)), "must-revalidate", false),
            (.upTo(.seconds(99)), "no-cache", false), (.serverDirective, "stale-if-error=99, must-revalidate", false),
            (.upTo(.seconds(Int64.max)), "", true),
        ] as [(StaleIfError, String, Bool)])
    func staleIfErrorReturnsTheStaleImageWithinItsTimeLimit(_ row: (StaleIfError, String, Bool)) throws {
        var settings = CacheSettings()
        settings.staleIfError = row.0
        let entry = try stale([:], row.1)
        let results: [ExchangeResult] =
            [500, 502, 503, 504].map { .response(ResponseHead(status: $0, fields: [:]), body: .complete(bytes: 1)) }
            + [.transportFailure, .response(ResponseHead(status: 200, fields: [:]), body: .incomplete)]
        for result in results {
            let outcome = try PolicyFixture.outcome(result, entry: entry, settings: settings)
            #expect(outcome.store == .nothing)
            guard case .stale(let shown) = outcome.result else {
                #expect(!row.2, "\(result)")
                continue
            }
            #expect(row.2 && !shown.isFresh && shown.staleReason != nil && shown.fields.text("Age") == "60")
        }
    }

    @Test func staleIfErrorAppliesOnlyTo500And502To504AndNotToReloadOrNoCacheRequests() throws {
        var settings = CacheSettings()
        settings.staleIfError = .upTo(.seconds(1000))
        for status in [400, 404, 410, 429, 501, 505] {
            #expect(try PolicyFixture.outcome(status, entry: stale(), settings: settings).result == .received([:]))
        }
        let reload = CacheRequest(policy: .reload)
        #expect(
            try PolicyFixture.outcome(503, entry: stale(), request: reload, settings: settings).result == .received([:])
        )
        for own in ["no-cache", "max-age=5"] {
            let request = CacheRequest(fields: ["Cache-Control": own])
            let outcome = try PolicyFixture.outcome(503, entry: stale(), request: request, settings: settings)
            #expect(outcome.result == .received([:]))
        }
    }

    @Test(.requirement("O39")) func transportFailureDoesNotChangeTheStoredEntry() throws {
        var settings = CacheSettings()
        settings.defaultCacheControlMaxAgeForErrors = .seconds(60)
        for entry in [nil, try stale()] {
            let outcome = try PolicyFixture.outcome(.transportFailure, entry: entry, settings: settings)
            #expect(outcome == CacheOutcome(result: .transportFailure, store: .nothing))
        }
    }
}
