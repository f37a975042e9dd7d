import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct CachedErrorTests {
    /// Simulates loads of one key: cache decision, cache outcome, one stored entry and a manual clock.
    private struct LoadSimulation {
        var settings = CacheSettings()
        var now = PolicyFixture.now
        var entry: CacheEntry?
        /// Requests sent so far.
        var requests = 0

        init(errorLifetime: Int64, attempts: Int = 3) {
            settings.defaultCacheControlMaxAgeForErrors = .seconds(errorLifetime)
            settings.maxAttemptsForErrors = attempts
        }

        /// Runs one load and returns the decision. The arguments describe the response that is received if a request is
        /// sent.
        @discardableResult
        mutating func load(
            _ status: Int, _ fields: HeaderFields = [:], policy: CachePolicy = .default, bytes: Int = 1
        ) throws -> CacheDecision {
            let request = CacheRequest(policy: policy)
            let decision = CacheDecision.decide(entry: entry, request: request, settings: settings, now: now)
            guard case .send(let plan, _) = decision else { return decision }
            requests += 1
            let outcome = CacheOutcome.decide(
                entry: entry, key: try PolicyFixture.key(),
                exchange: CacheExchange(request: request, plan: plan, requestTime: now, responseTime: now),
                result: .response(ResponseHead(status: status, fields: fields), body: .complete(bytes: bytes)),
                settings: settings, now: now)
            switch outcome.store {
            case .nothing: break
            case .write(let written, _), .update(let written): entry = written
            case .remove: entry = nil
            }
            return decision
        }

        mutating func advance(_ seconds: Int64) { now = now.adding(milliseconds: seconds * 1000) }
    }

    @Test(.requirement("O33", "O35"), arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (10, 10)])
    func consecutiveErrorsSuppressRequestsForTheErrorLifetimeOnceMaxAttemptsIsReached(_ row: (Int, Int)) throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: row.0)
        for round in 1...3 {
            for _ in 1...row.1 { try simulation.load(500) }
            #expect(simulation.requests == round * row.1)
            let last = simulation.now

            simulation.advance(59)
            for _ in 1...5 {
                let decision = try simulation.load(200)
                let error = RememberedError(status: 500, until: last.adding(milliseconds: 60_000), isFresh: false)
                #expect(decision == .fail(error, provisional: nil))
            }

            #expect(simulation.requests == round * row.1)
            simulation.advance(1)
        }
    }

    @Test(.requirement("O37"), arguments: [200, 304])
    func successBetweenErrorsResetsTheErrorCount(_ status: Int) throws {
        var simulation = LoadSimulation(errorLifetime: 60)
        simulation.entry = try PolicyFixture.entry(["ETag": "\"a\""], age: 10)
        try simulation.load(500)
        try simulation.load(500)
        try simulation.load(status, ["ETag": "\"a\""])
        #expect(simulation.entry?.failure == nil)

        for _ in 1...3 { try simulation.load(500) }

        #expect(simulation.requests == 6)
        #expect(simulation.entry?.failure?.attempts == 3)
        try simulation.load(200)
        #expect(simulation.requests == 6)
    }

    @Test(.requirement("O34")) func errorsAreNotCachedWithAnErrorLifetimeOfZero() throws {
        var simulation = LoadSimulation(errorLifetime: 0, attempts: 1)
        for _ in 1...10 { try simulation.load(404) }

        #expect(simulation.requests == 10)
        #expect(simulation.entry == nil)
    }

    @Test(.requirement("O38")) func storedImageIsRetainedAndDeliveredBeforeTheCachedError() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        simulation.entry = try PolicyFixture.entry(["ETag": "\"a\"", "Cache-Control": "max-age=5"], age: 10)
        let response = simulation.entry?.response

        try simulation.load(404)
        let decision = try simulation.load(200)

        #expect(simulation.entry?.response == response)
        guard case .fail(let error, let provisional?) = decision else { return #expect(Bool(false), "\(decision)") }
        #expect(error.status == 404 && provisional.status == 200 && !provisional.isFresh)
        #expect(simulation.requests == 1)
    }

    @Test func freshImageIsUsedDespiteACachedError() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        simulation.entry = try PolicyFixture.entry(["Cache-Control": "max-age=50"])
        try simulation.load(500, policy: .reload)

        guard case .useStored(let shown, nil) = try simulation.load(200) else {
            return #expect(Bool(false), "the stored response is not used")
        }

        #expect(shown.isFresh)
        #expect(simulation.entry?.failure?.attempts == 1)
    }

    @Test(.requirement("O35")) func reloadAndRevalidateSendRequestsDespiteACachedErrorAndCountErrors() throws {
        for policy in [CachePolicy.reload, .revalidate] {
            var simulation = LoadSimulation(errorLifetime: 60, attempts: 2)
            try simulation.load(500)
            try simulation.load(500)
            simulation.advance(30)

            try simulation.load(503, policy: policy)

            #expect(simulation.requests == 3)
            simulation.advance(59)
            try simulation.load(200)
            #expect(simulation.requests == 3, "a further error starts the error lifetime again")
            try simulation.load(200, policy: policy)
            try simulation.load(500)
            #expect(simulation.requests == 5)
        }
    }

    @Test(.requirement("O36")) func cachedErrorDoesNotSuppressRequestsAfterTheClockIsSetBack() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        try simulation.load(500)
        simulation.advance(-1)

        try simulation.load(500)

        #expect(simulation.requests == 2)
    }

    @Test func cacheOnlyReturnsNotInCacheForACachedErrorWithoutAStoredResponse() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        try simulation.load(500)

        #expect(try simulation.load(200, policy: .cacheOnly) == .notInCache)
    }

    @Test func staleWhileRevalidateDoesNotRefreshDuringACachedError() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        simulation.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5, stale-while-revalidate=99"], age: 10)
        try simulation.load(500, policy: .reload)

        guard case .useStored(let shown, let refresh) = try simulation.load(200) else {
            return #expect(Bool(false), "the stored response is not used")
        }
        #expect(!shown.isFresh && refresh == nil)
    }

    @Test func staleIfErrorAppliesToACachedError() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 1)
        simulation.settings.staleIfError = .upTo(.seconds(1000))
        simulation.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5"], age: 10)
        try simulation.load(503)

        guard case .useStored(let shown, nil) = try simulation.load(200) else {
            return #expect(Bool(false), "the stored response is not used")
        }
        guard case .remembered(let error)? = shown.staleReason else { return #expect(Bool(false), "no stored error") }
        #expect(error.status == 503 && !shown.isFresh)
    }

    @Test(.requirement("O34"), arguments: [400, 404, 410, 429, 500, 503, 599])
    func errorWithALifetimeIsStoredAndReused(_ status: Int) throws {
        var simulation = LoadSimulation(errorLifetime: 0)
        try simulation.load(status, ["Cache-Control": "max-age=10"])
        simulation.advance(9)

        guard case .useStored(let shown, nil) = try simulation.load(200) else {
            return #expect(Bool(false), "the stored response is not used")
        }
        #expect(shown.status == status && shown.isFresh && shown.fields.text("Age") == "9")
        simulation.advance(1)
        try simulation.load(200)
        #expect(simulation.requests == 2)
        #expect(simulation.entry?.response?.status == 200)
    }

    @Test func errorWithExpiresIsReusedUntilItExpires() throws {
        var simulation = LoadSimulation(errorLifetime: 0)
        try simulation.load(404, ["Expires": HTTPDate.format(simulation.now.adding(milliseconds: 10_000))])
        try simulation.load(200)

        #expect(simulation.requests == 1)
    }

    @Test func expiredErrorResponseIsRequestedAgainDespiteTheDefaultErrorLifetime() throws {
        var simulation = LoadSimulation(errorLifetime: 1_000, attempts: 1)
        try simulation.load(404, ["Cache-Control": "max-age=10"])
        simulation.advance(10)
        try simulation.load(404, ["Cache-Control": "max-age=0"])
        try simulation.load(404, ["Cache-Control": "no-cache, max-age=9"])
        try simulation.load(404, ["Cache-Control": "max-age=10"])

        #expect(simulation.requests == 4)
    }

    @Test func noStoreAndNoCacheErrorsAreNotReused() throws {
        for directives in ["no-store, max-age=10", "no-cache", "no-store", "no-cache, max-age=10"] {
            var simulation = LoadSimulation(errorLifetime: 0)
            for _ in 1...3 { try simulation.load(404, ["Cache-Control": directives]) }
            #expect(simulation.requests == 3)
        }
    }

    @Test(.requirement("O32")) func cachedErrorWithALifetimeIsStoredBesideTheImage() throws {
        var simulation = LoadSimulation(errorLifetime: 0)
        simulation.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5", "ETag": "\"a\""], age: 10)
        let response = simulation.entry?.response
        try simulation.load(404, ["Cache-Control": "max-age=10"])
        #expect(simulation.entry?.response == response)

        guard case .fail(let error, let provisional) = try simulation.load(200) else {
            return #expect(Bool(false), "asked")
        }
        #expect(
            error == RememberedError(status: 404, until: simulation.now.adding(milliseconds: 10_000), isFresh: true))
        #expect(provisional != nil)
        simulation.advance(10)
        try simulation.load(304)
        #expect(simulation.requests == 2)
        #expect(simulation.entry?.failure == nil)
    }

    @Test func errorWithVaryIsNotCachedWhenAnImageIsStored() throws {
        var simulation = LoadSimulation(errorLifetime: 0)
        simulation.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5"], age: 10)
        try simulation.load(404, ["Cache-Control": "max-age=10", "Vary": "Cookie"])

        #expect(simulation.entry?.failure == nil)
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func errorWithABodyOver64KiBIsCachedWithoutTheBody(_ row: (Int, Bool)) throws {
        var simulation = LoadSimulation(errorLifetime: 0)
        try simulation.load(404, ["Cache-Control": "max-age=10"], bytes: row.0)

        #expect((simulation.entry?.response != nil) == row.1)
        #expect((simulation.entry?.failure != nil) == !row.1)
        try simulation.load(200)
        #expect(simulation.requests == 1)
    }

    @Test func lifetimeOfAnErrorIsIgnoredWithServerCachePolicyDisabled() throws {
        var simulation = LoadSimulation(errorLifetime: 60, attempts: 2)
        simulation.settings.useServerCachePolicy = false
        try simulation.load(404, ["Cache-Control": "max-age=1000"])
        try simulation.load(404, ["Cache-Control": "max-age=1000"])
        try simulation.load(404)
        #expect(simulation.requests == 2)

        simulation.advance(60)
        try simulation.load(200)

        #expect(simulation.requests == 3)
    }

    @Test func errorCountingAtExtremeCountsAndTimesDoesNotTrap() throws {
        var simulation = LoadSimulation(errorLifetime: .max, attempts: .max)
        let failure = FailureRecord(status: 500, attempts: .max, at: WallTime(milliseconds: .max - 1))
        simulation.entry = CacheEntry(key: try PolicyFixture.key(), failure: failure)
        for now in [WallTime(milliseconds: .max), WallTime(milliseconds: .min), PolicyFixture.now] {
            simulation.now = now
            try simulation.load(500)
            try simulation.load(500, ["Cache-Control": "max-age=99999999999"])
        }
        simulation.entry?.failure?.attempts = .min
        try simulation.load(500)
    }
}
