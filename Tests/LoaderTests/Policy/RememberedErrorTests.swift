#if Loader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct RememberedErrorTests {
    /// Simulates loads of one key: cache decision, cache outcome, one stored entry and a manual clock.
    private struct Client {
        var settings = CacheSettings()
        var now = PolicyFixture.now
        var entry: CacheEntry?
        /// Requests sent so far.
        var requests = 0

        init(silence: Int64, attempts: Int = 3) {
            settings.defaultCacheControlMaxAgeForErrors = .seconds(silence)
            settings.maxAttemptsForErrors = attempts
        }

        /// Runs one load and returns the decision; the arguments are the response if a request is sent.
        @discardableResult
        mutating func load(
            _ status: Int, _ fields: HeaderFields = [:], policy: CachePolicy = .default, bytes: Int = 1
        ) throws -> CacheDecision {
            let request = CacheRequest(policy: policy)
            let decision = CacheDecision.decide(entry: entry, request: request, settings: settings, now: now)
            guard case .send(let plan, _) = decision else { return decision }
            requests += 1
            let outcome = CacheOutcome.conclude(
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

        mutating func wait(_ seconds: Int64) { now = now.adding(milliseconds: seconds * 1000) }
    }

    @Test(.requirement("O33", "O35"), arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (10, 10)])
    func maxAttemptsErrorsInARowSuppressRequests(_ row: (Int, Int)) throws {
        var client = Client(silence: 60, attempts: row.0)
        for round in 1...3 {
            for _ in 1...row.1 { try client.load(500) }
            #expect(client.requests == round * row.1)
            let last = client.now

            client.wait(59)
            for _ in 1...5 {
                let decision = try client.load(200)
                let error = RememberedError(status: 500, until: last.adding(milliseconds: 60_000), isFresh: false)
                #expect(decision == .fail(error, provisional: nil))
            }

            #expect(client.requests == round * row.1)
            client.wait(1)
        }
    }

    @Test(.requirement("O37"), arguments: [200, 304])
    func successBetweenErrorsResetsTheCount(_ status: Int) throws {
        var client = Client(silence: 60)
        client.entry = try PolicyFixture.entry(["ETag": "\"a\""], age: 10)
        try client.load(500)
        try client.load(500)
        try client.load(status, ["ETag": "\"a\""])
        #expect(client.entry?.failure == nil)

        for _ in 1...3 { try client.load(500) }

        #expect(client.requests == 6)
        #expect(client.entry?.failure?.attempts == 3)
        try client.load(200)
        #expect(client.requests == 6)
    }

    @Test(.requirement("O34")) func zeroErrorLifetimeRemembersNoErrors() throws {
        var client = Client(silence: 0, attempts: 1)
        for _ in 1...10 { try client.load(404) }

        #expect(client.requests == 10)
        #expect(client.entry == nil)
    }

    @Test(.requirement("O38")) func storedImageIsRetainedAndDeliveredBeforeTheError() throws {
        var client = Client(silence: 60, attempts: 1)
        client.entry = try PolicyFixture.entry(["ETag": "\"a\"", "Cache-Control": "max-age=5"], age: 10)
        let response = client.entry?.response

        try client.load(404)
        let decision = try client.load(200)

        #expect(client.entry?.response == response)
        guard case .fail(let error, let provisional?) = decision else { return #expect(Bool(false), "\(decision)") }
        #expect(error.status == 404 && provisional.status == 200 && !provisional.isFresh)
        #expect(client.requests == 1)
    }

    @Test func freshImageIsUsedDespiteARememberedError() throws {
        var client = Client(silence: 60, attempts: 1)
        client.entry = try PolicyFixture.entry(["Cache-Control": "max-age=50"])
        try client.load(500, policy: .reload)

        guard case .answer(let shown, nil) = try client.load(200) else { return #expect(Bool(false), "no answer") }

        #expect(shown.isFresh)
        #expect(client.entry?.failure?.attempts == 1)
    }

    @Test(.requirement("O35")) func reloadAndRevalidateSendRequestsAndCountErrors() throws {
        for policy in [CachePolicy.reload, .revalidate] {
            var client = Client(silence: 60, attempts: 2)
            try client.load(500)
            try client.load(500)
            client.wait(30)

            try client.load(503, policy: policy)

            #expect(client.requests == 3)
            client.wait(59)
            try client.load(200)
            #expect(client.requests == 3, "a further error prolongs the silence")
            try client.load(200, policy: policy)
            try client.load(500)
            #expect(client.requests == 5)
        }
    }

    @Test(.requirement("O36")) func clockSetBackAllowsRequestsAgain() throws {
        var client = Client(silence: 60, attempts: 1)
        try client.load(500)
        client.wait(-1)

        try client.load(500)

        #expect(client.requests == 2)
    }

    @Test func cacheOnlyReturnsNotInCacheForARememberedError() throws {
        var client = Client(silence: 60, attempts: 1)
        try client.load(500)

        #expect(try client.load(200, policy: .cacheOnly) == .notInCache)
    }

    @Test func staleWhileRevalidateDoesNotRefreshDuringARememberedError() throws {
        var client = Client(silence: 60, attempts: 1)
        client.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5, stale-while-revalidate=99"], age: 10)
        try client.load(500, policy: .reload)

        guard case .answer(let shown, let refresh) = try client.load(200) else {
            return #expect(Bool(false), "no answer")
        }
        #expect(!shown.isFresh && refresh == nil)
    }

    @Test func staleIfErrorAppliesToARememberedError() throws {
        var client = Client(silence: 60, attempts: 1)
        client.settings.staleIfError = .upTo(.seconds(1000))
        client.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5"], age: 10)
        try client.load(503)

        guard case .answer(let shown, nil) = try client.load(200) else { return #expect(Bool(false), "no answer") }
        guard case .remembered(let error)? = shown.insteadOf else { return #expect(Bool(false), "no error") }
        #expect(error.status == 503 && !shown.isFresh)
    }

    @Test(.requirement("O34"), arguments: [400, 404, 410, 429, 500, 503, 599])
    func errorWithALifetimeIsStoredAndReused(_ status: Int) throws {
        var client = Client(silence: 0)
        try client.load(status, ["Cache-Control": "max-age=10"])
        client.wait(9)

        guard case .answer(let shown, nil) = try client.load(200) else { return #expect(Bool(false), "no answer") }
        #expect(shown.status == status && shown.isFresh && shown.fields.text("Age") == "9")
        client.wait(1)
        try client.load(200)
        #expect(client.requests == 2)
        #expect(client.entry?.response?.status == 200)
    }

    @Test func expiresGivesAnErrorItsLifetime() throws {
        var client = Client(silence: 0)
        try client.load(404, ["Expires": HTTPDate.format(client.now.adding(milliseconds: 10_000))])
        try client.load(200)

        #expect(client.requests == 1)
    }

    @Test func expiredErrorIsRequestedAgainBeforeTheDefaultErrorLifetimeEnds() throws {
        var client = Client(silence: 1_000, attempts: 1)
        try client.load(404, ["Cache-Control": "max-age=10"])
        client.wait(10)
        try client.load(404, ["Cache-Control": "max-age=0"])
        try client.load(404, ["Cache-Control": "no-cache, max-age=9"])
        try client.load(404, ["Cache-Control": "max-age=10"])

        #expect(client.requests == 4)
    }

    @Test func noStoreAndNoCacheErrorsAreNotReused() throws {
        for directives in ["no-store, max-age=10", "no-cache", "no-store", "no-cache, max-age=10"] {
            var client = Client(silence: 0)
            for _ in 1...3 { try client.load(404, ["Cache-Control": directives]) }
            #expect(client.requests == 3)
        }
    }

    @Test(.requirement("O32")) func errorLifetimeIsStoredBesideTheImage() throws {
        var client = Client(silence: 0)
        client.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5", "ETag": "\"a\""], age: 10)
        let response = client.entry?.response
        try client.load(404, ["Cache-Control": "max-age=10"])
        #expect(client.entry?.response == response)

        guard case .fail(let error, let provisional) = try client.load(200) else {
            return #expect(Bool(false), "asked")
        }
        #expect(error == RememberedError(status: 404, until: client.now.adding(milliseconds: 10_000), isFresh: true))
        #expect(provisional != nil)
        client.wait(10)
        try client.load(304)
        #expect(client.requests == 2)
        #expect(client.entry?.failure == nil)
    }

    @Test func errorWithVaryIsNotRememberedBesideAnImage() throws {
        var client = Client(silence: 0)
        client.entry = try PolicyFixture.entry(["Cache-Control": "max-age=5"], age: 10)
        try client.load(404, ["Cache-Control": "max-age=10", "Vary": "Cookie"])

        #expect(client.entry?.failure == nil)
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func aLargeErrorIsRememberedWithoutItsBody(_ row: (Int, Bool)) throws {
        var client = Client(silence: 0)
        try client.load(404, ["Cache-Control": "max-age=10"], bytes: row.0)

        #expect((client.entry?.response != nil) == row.1)
        #expect((client.entry?.failure != nil) == !row.1)
        try client.load(200)
        #expect(client.requests == 1)
    }

    @Test func disabledServerPolicyIgnoresTheLifetimeOfErrors() throws {
        var client = Client(silence: 60, attempts: 2)
        client.settings.useServerCachePolicy = false
        try client.load(404, ["Cache-Control": "max-age=1000"])
        try client.load(404, ["Cache-Control": "max-age=1000"])
        try client.load(404)
        #expect(client.requests == 2)

        client.wait(60)
        try client.load(200)

        #expect(client.requests == 3)
    }

    @Test func extremeCountsAndTimesDoNotTrap() throws {
        var client = Client(silence: .max, attempts: .max)
        let failure = RememberedFailure(status: 500, attempts: .max, at: WallTime(milliseconds: .max - 1))
        client.entry = CacheEntry(key: try PolicyFixture.key(), failure: failure)
        for now in [WallTime(milliseconds: .max), WallTime(milliseconds: .min), PolicyFixture.now] {
            client.now = now
            try client.load(500)
            try client.load(500, ["Cache-Control": "max-age=99999999999"])
        }
        client.entry?.failure?.attempts = .min
        try client.load(500)
    }
}
#endif
