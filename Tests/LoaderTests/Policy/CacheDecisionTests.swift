import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct CacheDecisionTests {
    enum DecisionKind: String { case fresh, stale, staleAndRefresh, conditional, plain, passThrough, error, notInCache }

    static let noStale = ["must-revalidate", "no-cache"]

    private func kind(_ decision: CacheDecision) -> DecisionKind {
        switch decision {
        case .useStored(let shown, let refresh): shown.isFresh ? .fresh : refresh == nil ? .stale : .staleAndRefresh
        case .send(let plan, _): plan.isPassThrough ? .passThrough : plan.isConditional ? .conditional : .plain
        case .fail: .error
        case .notInCache: .notInCache
        }
    }

    private func decide(
        _ entry: CacheEntry?, _ fields: HeaderFields = [:], policy: CachePolicy = .default,
        settings: CacheSettings = CacheSettings(), now: WallTime = PolicyFixture.now
    ) -> CacheDecision {
        CacheDecision.decide(
            entry: entry, request: CacheRequest(fields: fields, policy: policy), settings: settings, now: now)
    }

    /// An entry with an ETag, `max-age=10` and this age.
    private func entry(_ age: Int64, _ directives: String = "") throws -> CacheEntry {
        try PolicyFixture.entry(["Cache-Control": "max-age=10, \(directives)", "ETag": "\"a\""], age: age)
    }

    /// The table of Docs/http-cache.md 5.
    @Test(
        arguments: [
            (.default, .fresh, .conditional, .conditional, .plain),
            (.revalidate, .conditional, .conditional, .conditional, .plain),
            (.reload, .plain, .plain, .plain, .plain),
            (.cacheElseLoad, .fresh, .stale, .conditional, .plain),
            (.cacheOnly, .fresh, .stale, .notInCache, .notInCache),
        ] as [(CachePolicy, DecisionKind, DecisionKind, DecisionKind, DecisionKind)])
    func cachePolicyAndEntryFreshnessSelectTheCacheDecision(
        _ row: (CachePolicy, DecisionKind, DecisionKind, DecisionKind, DecisionKind)
    ) throws {
        let (policy, fresh, stale, mustRevalidate, none) = row

        #expect(kind(decide(try entry(5), policy: policy)) == fresh)
        #expect(kind(decide(try entry(10), policy: policy)) == stale)
        #expect(kind(decide(try entry(11, "must-revalidate"), policy: policy)) == mustRevalidate)
        #expect(kind(decide(try entry(5, "must-revalidate"), policy: policy)) == fresh)
        for age in [Int64(0), 5, 11] {
            #expect(kind(decide(try entry(age, "no-cache"), policy: policy)) == mustRevalidate)
        }
        #expect(kind(decide(nil, policy: policy)) == none)
    }

    @Test(.requirement("O90"), arguments: CachePolicy.allCases)
    func revalidateAndReloadPoliciesAddCacheControlUnlessTheRequestHasOne(_ policy: CachePolicy) throws {
        let expected: String? = [.revalidate: "max-age=0", .reload: "no-cache"][policy]
        for entry in [nil, try entry(20, "must-revalidate")] {
            if case .send(let plan, _) = decide(entry, policy: policy) {
                #expect(plan.addedFields.text("Cache-Control") == expected)
            }
            if case .send(let plan, _) = decide(entry, ["cache-control": "x"], policy: policy) {
                #expect(!plan.addedFields.contains("Cache-Control"))
            }
        }
    }

    @Test(.requirement("O22")) func etagAndLastModifiedOfAStaleEntryAreBothSent() throws {
        let stored = try PolicyFixture.entry(["ETag": "W/\"a\"", "Last-Modified": "then", "Cache-Control": "max-age=0"])

        guard case .send(let plan, _) = decide(stored) else { return #expect(Bool(false), "sends no request") }

        #expect(plan.addedFields == ["If-None-Match": "W/\"a\"", "If-Modified-Since": "then"])
        #expect(plan.isConditional)
    }

    @Test(.requirement("O28")) func entryWithoutBodyOrValidatorIsRequestedUnconditionally() throws {
        let bodiless = CacheEntry(key: try PolicyFixture.key())
        let unnamed = try PolicyFixture.entry(["Cache-Control": "max-age=0"])

        for entry in [bodiless, unnamed] {
            guard case .send(let plan, _) = decide(entry) else { return #expect(Bool(false), "sends no request") }
            #expect(plan == RequestPlan())
        }
    }

    @Test(arguments: [404, 410, 500, 301, 302])
    func staleStoredErrorOrRedirectIsRequestedUnconditionally(_ status: Int) throws {
        let stored = try PolicyFixture.entry(
            ["ETag": "\"a\"", "Last-Modified": "then", "Cache-Control": "max-age=10"], status: status, age: 20)

        #expect(decide(stored) == .send(RequestPlan(), provisional: nil))
    }

    @Test func responseFromTheCacheHasAnAgeField() throws {
        guard case .useStored(let shown, nil) = decide(try entry(7)) else { return #expect(Bool(false), "not used") }

        #expect(shown.fields.text("Age") == "7")
        #expect(shown.status == 200)
        #expect(shown.staleReason == nil)
    }

    @Test func storedErrorsAndRedirectsAreUsedWhileFresh() throws {
        for status in [301, 302, 404, 503, 599] {
            let fields: HeaderFields = ["Cache-Control": "max-age=10"]
            #expect(kind(decide(try PolicyFixture.entry(fields, status: status, age: 5))) == .fresh)
            #expect(kind(decide(try PolicyFixture.entry(fields, status: status, age: 15))) == .plain)
        }
    }

    @Test func staleStoredErrorIsNotUsedDespiteStaleDirectives() throws {
        let stored = try PolicyFixture.entry(
            ["Cache-Control": "max-age=1, stale-while-revalidate=99, stale-if-error=99"], status: 404, age: 5)

        #expect(kind(decide(stored)) == .plain)
        #expect(kind(decide(stored, policy: .cacheElseLoad)) == .plain)
        #expect(kind(decide(stored, policy: .cacheOnly)) == .notInCache)
        #expect(kind(decide(stored, ["Cache-Control": "max-stale"])) == .plain)
    }

    /// Policy, age in seconds of an entry with `max-age=10`, and whether the entry is delivered before the response.
    @Test(
        arguments: [
            (.default, 20, true), (.revalidate, 5, true), (.revalidate, 20, true), (.reload, 5, false),
            (.reload, 20, false),
        ] as [(CachePolicy, Int64, Bool)])
    func entryIsDeliveredBeforeRevalidationButNotBeforeAReload(_ row: (CachePolicy, Int64, Bool)) throws {
        guard case .send(_, let provisional) = decide(try entry(row.1), policy: row.0) else {
            return #expect(Bool(false), "sends no request")
        }

        #expect((provisional != nil) == row.2)
        #expect(provisional?.isFresh != true)
        #expect(provisional.map { $0.fields.text("Age") == String(row.1) } != false)
    }

    @Test(.requirement("O30")) func staleImageIsNotDeliveredBeforeRevalidationWhenStaleDeliveryIsDisabled() throws {
        var settings = CacheSettings()
        settings.deliversStaleBeforeValidation = false

        guard case .send(let plan, let provisional) = decide(try entry(20), settings: settings) else {
            return #expect(Bool(false), "sends no request")
        }

        #expect(provisional == nil)
        #expect(plan.isConditional)
    }

    @Test func freshImmutableEntryIsUsedDespiteTheRevalidatePolicyButNotDespiteReloadOrNoCache() throws {
        #expect(kind(decide(try entry(5, "immutable"), policy: .revalidate)) == .fresh)
        #expect(kind(decide(try entry(15, "immutable"), policy: .revalidate)) == .conditional)
        #expect(kind(decide(try entry(15, "immutable"))) == .conditional)
        #expect(kind(decide(try entry(5, "immutable"), policy: .reload)) == .plain)
        #expect(kind(decide(try entry(5, "immutable"), ["Cache-Control": "no-cache"])) == .conditional)
    }

    /// Cache-Control of the request, age in seconds of an entry with `max-age=10`, and the decision (RFC 9111 §5.2.1).
    @Test(
        arguments: [
            ("no-cache", 0, .conditional), ("no-store", 5, .fresh), ("no-store", 15, .conditional),
            ("max-age=5", 5, .fresh), ("max-age=5", 6, .conditional), ("max-age=0", 0, .conditional),
            ("max-age=x", 5, .conditional), ("max-age=50", 15, .conditional),
            ("min-fresh=5", 5, .fresh), ("min-fresh=5", 6, .conditional), ("min-fresh=x", 0, .conditional),
            ("max-stale", 1_000, .stale), ("max-stale=5", 15, .stale), ("max-stale=5", 16, .conditional),
            ("max-stale=x", 15, .conditional), ("max-stale=5, max-age=12", 12, .stale),
            ("max-stale=5, max-age=12", 13, .conditional), ("max-stale=50, min-fresh=1", 15, .conditional),
            ("max-stale, no-cache", 5, .conditional), ("only-if-cached", 5, .fresh), ("only-if-cached", 15, .stale),
            ("only-if-cached, no-cache", 5, .notInCache), ("only-if-cached, max-age=3", 5, .notInCache),
            ("unknown", 5, .fresh), ("no-cache=\"x\"", 0, .conditional),
        ] as [(String, Int64, DecisionKind)])
    func cacheControlDirectivesOfTheRequestSelectTheCacheDecision(_ row: (String, Int64, DecisionKind)) throws {
        #expect(kind(decide(try entry(row.1), ["Cache-Control": row.0])) == row.2)
    }

    @Test func maxStaleAndOnlyIfCachedDoNotOverrideMustRevalidate() throws {
        for directive in Self.noStale {
            #expect(kind(decide(try entry(15, directive), ["Cache-Control": "max-stale"])) == .conditional)
            #expect(kind(decide(try entry(15, directive), ["Cache-Control": "only-if-cached"])) == .notInCache)
        }
    }

    @Test func requestPragmaNoCacheAppliesOnlyWithoutCacheControl() throws {
        #expect(kind(decide(try entry(5), ["Pragma": "no-cache"])) == .conditional)
        #expect(kind(decide(try entry(5), ["Pragma": "x, No-Cache"])) == .conditional)
        #expect(kind(decide(try entry(5), ["Pragma": "x"])) == .fresh)
        #expect(kind(decide(try entry(5), ["Pragma": "no-cache", "Cache-Control": "x"])) == .fresh)
        let stored = try PolicyFixture.entry(["Pragma": "no-cache", "Cache-Control": "max-age=10"], age: 5)
        #expect(kind(decide(stored)) == .fresh)
    }

    @Test(arguments: [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "range",
    ])
    func requestWithAConditionalOrRangeFieldOfTheCallerBypassesTheCache(_ name: String) throws {
        for policy in CachePolicy.allCases {
            let expected: DecisionKind = policy == .cacheOnly ? .notInCache : .passThrough
            let decision = decide(try entry(5), [name: "x"], policy: policy)
            #expect(kind(decision) == expected)
            if case .send(let plan, let provisional) = decision {
                #expect(plan.addedFields == [:] && provisional == nil)
            }
        }
    }

    @Test(arguments: ["HEAD", "POST", "get", "PUT", ""])
    func requestWithAMethodOtherThanGETBypassesTheCache(_ method: String) throws {
        let decision = CacheDecision.decide(
            entry: try entry(5), request: CacheRequest(method: method), settings: CacheSettings(),
            now: PolicyFixture.now)

        #expect(decision == .send(RequestPlan(isPassThrough: true), provisional: nil))
    }

    @Test(
        .requirement("O93"), arguments: [(10, true), (11, true), (15, true), (16, false), (9, nil)] as [(Int64, Bool?)])
    func staleWhileRevalidateUsesTheStaleEntryAndRefreshesIt(_ row: (Int64, Bool?)) throws {
        let decision = decide(try entry(row.0, "stale-while-revalidate=5"))

        let expected: DecisionKind = row.1.map { $0 ? .staleAndRefresh : .conditional } ?? .fresh
        #expect(kind(decision) == expected)
        if case .useStored(_, let refresh?) = decision { #expect(refresh.isConditional) }
    }

    @Test func staleWhileRevalidateIsIgnoredWhenFreshnessIsRequired() throws {
        let directives = "stale-while-revalidate=99"
        for other in Self.noStale { #expect(kind(decide(try entry(15, "\(directives), \(other)"))) == .conditional) }
        for own in ["no-cache", "max-age=20", "min-fresh=1"] {
            #expect(kind(decide(try entry(15, directives), ["Cache-Control": own])) == .conditional)
        }
        #expect(kind(decide(try entry(15, directives), policy: .revalidate)) == .conditional)
        #expect(kind(decide(try entry(15, directives), policy: .reload)) == .plain)
        #expect(kind(decide(try entry(15, "stale-while-revalidate=x"))) == .conditional)
    }

    @Test func staleWhileRevalidateAndMaxStaleDoNotApplyAfterTheClockIsSetBack() throws {
        let stored = try entry(0, "stale-while-revalidate=99, stale-if-error=99")
        let before = WallTime(seconds: 1)

        #expect(kind(decide(stored, now: before)) == .conditional)
        #expect(kind(decide(stored, policy: .cacheElseLoad, now: before)) == .stale)
        #expect(kind(decide(stored, ["Cache-Control": "max-stale=99"], now: before)) == .conditional)
    }

    @Test(.requirement("O8")) func entryOfAnotherVariantIsNotUsed() throws {
        let stored = try PolicyFixture.entry(
            ["Cache-Control": "max-age=10", "Vary": "Foo", "ETag": "\"a\""], age: 5, request: ["Foo": "1"])

        #expect(kind(decide(stored, ["Foo": "1"])) == .fresh)
        #expect(decide(stored, ["Foo": "2"]) == .send(RequestPlan(), provisional: nil))
        #expect(kind(decide(stored, [:], policy: .cacheOnly)) == .notInCache)
        #expect(kind(decide(stored, [:], policy: .cacheElseLoad)) == .plain)
    }

    @Test func noStoreEntryIsNotUsedAfterServerCachePolicyIsEnabled() throws {
        var settings = CacheSettings()
        settings.useServerCachePolicy = false
        let stored = try PolicyFixture.entry(["Cache-Control": "no-store, max-age=100"], age: 5)

        #expect(kind(decide(stored, settings: settings)) == .fresh)
        #expect(decide(stored) == .send(RequestPlan(), provisional: nil))
        #expect(kind(decide(stored, policy: .cacheOnly)) == .notInCache)
    }

    @Test(.requirement("O31")) func storedImageIsRequestedAgainOnlyByReloadWhenServerCachePolicyIsDisabled() throws {
        var settings = CacheSettings()
        settings.useServerCachePolicy = false
        for directives in ["", "no-cache", "must-revalidate", "no-store", "max-age=0"] {
            let stored = try entry(1_000_000, directives)
            for own in ["", "no-cache", "max-age=0", "min-fresh=9", "only-if-cached"] {
                let fields: HeaderFields = own.isEmpty ? [:] : ["Cache-Control": own]
                for policy in CachePolicy.allCases where policy != .reload {
                    #expect(kind(decide(stored, fields, policy: policy, settings: settings)) == .fresh)
                }
            }
            #expect(kind(decide(stored, policy: .reload, settings: settings)) == .plain)
        }
        let varied = try PolicyFixture.entry(["Vary": "Foo"], request: ["Foo": "1"])
        #expect(kind(decide(varied, ["Foo": "2"], settings: settings)) == .plain)
        #expect(kind(decide(nil, policy: .cacheOnly, settings: settings)) == .notInCache)
        let error = try PolicyFixture.entry(["Cache-Control": "max-age=99"], status: 404)
        #expect(kind(decide(error, settings: settings)) == .plain)
    }
}
