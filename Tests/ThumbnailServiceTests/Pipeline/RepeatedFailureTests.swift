import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Repeated requests for a failing source, and the limit of new renders per client.
@Suite struct RepeatedFailureTests {
    private static let source = SourceName.url("http://a.example/b.png")
    private static let begin = WallTime(seconds: 1_000_000)

    private func wallTime(_ seconds: Int64) -> WallTime { WallTime(seconds: 1_000_000 + seconds) }

    @Test(.requirement("SV24")) func sourceThatFailed4TimesInAnHourIsRequestedWhenTheOldestFailureIsAnHourOld() {
        let cache = FailureCache()
        let error = ServiceError(.notAnImage, "no image")
        for second: Int64 in [0, 10, 20] {
            cache.record(error, of: Self.source, now: wallTime(second))
            #expect(cache.failure(of: Self.source, now: wallTime(second)) == nil)
        }
        cache.record(error, of: Self.source, now: wallTime(30))

        #expect(cache.failure(of: Self.source, now: wallTime(30)) == error)
        #expect(cache.failure(of: Self.source, now: wallTime(3_599)) != nil)
        #expect(cache.failure(of: Self.source, now: wallTime(3_600)) == nil)
        #expect(cache.failure(of: .url("http://a.example/c.png"), now: wallTime(30)) == nil)
        // With one more failure, there are again four failures within an hour.
        cache.record(error, of: Self.source, now: wallTime(3_600))
        #expect(cache.failure(of: Self.source, now: wallTime(3_609)) != nil)
        #expect(cache.failure(of: Self.source, now: wallTime(3_610)) == nil)
    }

    @Test(
        .requirement("SV24"),
        arguments: [ServiceError.Reason.originFailed, .originTimeout])
    func failingOriginIsRequestedAgainAfter10Seconds1MinuteAnd10Minutes(_ reason: ServiceError.Reason) {
        let cache = FailureCache()
        let error = ServiceError(reason, "the origin broke off")
        for second: Int64 in [0, 1, 2] {
            cache.record(error, of: Self.source, now: wallTime(second))
            #expect(cache.failure(of: Self.source, now: wallTime(second)) == nil)
        }
        var now: Int64 = 3
        for delay: Int64 in [10, 60, 600, 600, 600] {
            cache.record(error, of: Self.source, now: wallTime(now))
            // Requests that were in progress at the time of the failure fail too; together they count as one failure.
            for _ in 0..<20 { cache.record(error, of: Self.source, now: wallTime(now)) }
            #expect(cache.failure(of: Self.source, now: wallTime(now))?.status == error.status)
            #expect(cache.failure(of: Self.source, now: wallTime(now))?.retryAfter == Int(delay))
            #expect(cache.failure(of: Self.source, now: wallTime(now + delay - 1))?.retryAfter == 1)
            now += delay
            #expect(cache.failure(of: Self.source, now: wallTime(now)) == nil)
            // After the delay, one request (the probe) may read the source; other requests fail until the probe ends.
            #expect(cache.failure(of: Self.source, now: wallTime(now + 1))?.reason == reason)
        }

        cache.recordRead(Self.source)
        for _ in 0..<3 { #expect(cache.failure(of: Self.source, now: wallTime(now)) == nil) }
    }

    @Test(.requirement("SV24")) func failingOriginIsRequestedAgainAfterARetryThatEndsWithoutAResult() {
        let cache = FailureCache()
        for _ in 0..<4 { cache.record(ServiceError(.originFailed, ""), of: Self.source, now: wallTime(0)) }
        #expect(cache.failure(of: Self.source, now: wallTime(10)) == nil)
        #expect(cache.failure(of: Self.source, now: wallTime(10)) != nil)

        cache.record(ServiceError(.overloaded, retryAfter: 1, ""), of: Self.source, now: wallTime(11))

        #expect(cache.failure(of: Self.source, now: wallTime(11)) == nil)
        // A probe (the one request that may read a failing source) expires after 20 s if no result is recorded.
        #expect(cache.failure(of: Self.source, now: wallTime(30)) != nil)
        #expect(cache.failure(of: Self.source, now: wallTime(31)) == nil)
    }

    @Test(.requirement("SV24")) func successfulReadDoesNotClearFailuresOfAnInvalidImage() {
        let cache = FailureCache()
        for _ in 0..<4 { cache.record(ServiceError(.notAnImage, ""), of: Self.source, now: Self.begin) }

        cache.recordRead(Self.source)

        #expect(cache.failure(of: Self.source, now: Self.begin)?.status == 415)
    }

    @Test(.requirement("SV24")) func errorReturnedFromTheFailureCacheIsNotCountedAgain() {
        let cache = FailureCache()
        for _ in 0..<8 {
            cache.record(ServiceError(.originTimeout, retryAfter: 5, ""), of: Self.source, now: Self.begin)
        }

        #expect(cache.failure(of: Self.source, now: Self.begin) == nil)
    }

    @Test(.requirement("SV24")) func successfulRenderClearsAllFailuresOfASource() {
        let cache = FailureCache()
        for _ in 0..<4 { cache.record(ServiceError(.notFound, ""), of: Self.source, now: Self.begin) }
        #expect(cache.failure(of: Self.source, now: Self.begin)?.status == 404)

        cache.remove(Self.source)

        #expect(cache.failure(of: Self.source, now: Self.begin) == nil)
    }

    @Test(.requirement("SV24"), arguments: ServiceError.Reason.allCases)
    func onlyErrorsOfTheSourceAreCountedAsFailures(_ reason: ServiceError.Reason) {
        let cache = FailureCache()
        for _ in 0..<4 { cache.record(ServiceError(reason, ""), of: Self.source, now: Self.begin) }

        let ofSource: [ServiceError.Reason] = [
            .notFound, .addressRefused, .tooLarge, .notAnImage, .limit, .originFailed, .originTimeout,
        ]
        #expect((cache.failure(of: Self.source, now: Self.begin) != nil) == ofSource.contains(reason))
    }

    @Test(.requirement("SV24")) func fullRecentTableEvictsItsLeastRecentlyUsedEntry() {
        var table = RecentTable<Int, Int>(capacity: 8)
        for key in 0..<1_000 {
            table[0] = (table[0] ?? 0) + 1
            table[key + 1] = key
            #expect(table.count <= 8)
        }

        #expect(table[0] == 1_000)
        #expect(table[1_000] == 999)
        #expect(table[900] == nil)
        table[0] = nil
        #expect(table[0] == nil)
    }

    @Test(.requirement("SV24")) func failingOriginReceivesNoRequestAfterFourFailures() async throws {
        let origin = try await LoopbackOrigin { _ in .response(OriginResponse(status: 500)) }
        try await withService(origin: origin) { service in
            func target(_ side: Int) -> String { "/unsafe/\(side)x\(side)/127.0.0.1:\(origin.port)/a.png" }
            for side in 1...4 { #expect(try await service.send(target(side)).status == 502) }
            let asked = origin.requests.count

            let reply = try await service.send(target(5))

            #expect(reply.status == 502)
            #expect(reply["Cache-Control"] == "no-store")
            #expect(reply["Retry-After"] != nil)
            #expect(origin.requests.count == asked)
            #expect(asked >= 4)
        }
        await origin.stop()
    }

    /// A result that is too large is an error of the request; a damaged image is an error of the source.
    @Test(.requirement("SV24")) func requestOverTheResultLimitIsNotCountedAsAFailureOfTheSource() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { $0.target == "/a.png" ? .ok(image) : .ok(Array("no picture".utf8)) }
        try await withService(origin: origin) {
            $0.limits.resultPixels = 1_000
        } _: { (service) async throws in
            let base = "127.0.0.1:\(origin.port)"
            for side in 40...44 { #expect(try await service.send("/unsafe/\(side)x0/\(base)/a.png").status == 422) }
            #expect(try await service.send("/unsafe/20x20/\(base)/a.png").status == 200)
            for side in 1...4 { #expect(try await service.send("/unsafe/\(side)x0/\(base)/b.png").status == 415) }
            let asked = origin.requests.count
            #expect(try await service.send("/unsafe/5x5/\(base)/b.png").status == 415)
            #expect(origin.requests.count == asked)
        }
        await origin.stop()
    }

    @Test(.requirement("SV24")) func clientOverItsRenderRateIsRefusedWithRetryAfter() throws {
        let limit = ClientLimit(rendersPerMinute: 3)
        let client = try #require(IPAddress("192.0.2.7"))
        let other = try #require(IPAddress("192.0.2.8"))
        let now = ContinuousClock.now
        func refusal(_ client: IPAddress, _ seconds: Double) -> Int? {
            do throws(ServiceError) {
                try limit.acquire(for: client, now: now + .seconds(seconds))
                return nil
            } catch {
                #expect(error.status == 429)
                return error.retryAfter
            }
        }

        for _ in 0..<3 { #expect(refusal(client, 0) == nil) }
        #expect(refusal(client, 0) == 20)
        #expect(refusal(client, 5) == 15)
        #expect(refusal(other, 5) == nil)
        #expect(refusal(client, 20.1) == nil)
        #expect(refusal(client, 20.1) == 20)
        // A long pause refills the token bucket to its capacity only.
        for _ in 0..<3 { #expect(refusal(client, 10_000) == nil) }
        #expect(refusal(client, 10_000) != nil)
    }

    @Test(
        .requirement("SV24"),
        arguments: [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ])
    func addressesOfOneIPv6NetworkShareOneRenderLimit(_ first: String, _ second: String, isOne: Bool) throws {
        let limit = ClientLimit(rendersPerMinute: 1)
        let now = ContinuousClock.now
        try limit.acquire(for: #require(IPAddress(first)), now: now)

        let isRefused: Bool
        do throws(ServiceError) {
            guard let address = IPAddress(second) else { return }
            try limit.acquire(for: address, now: now)
            isRefused = false
        } catch {
            isRefused = true
        }

        #expect(isRefused == isOne)
    }

    @Test(
        .requirement("SV24"),
        arguments: [
            (nil, "127.0.0.1"), ("192.0.2.1", "192.0.2.1"), ("198.51.100.1, 192.0.2.1", "192.0.2.1"),
            ("192.0.2.1 ,  [2001:db8::1]", "2001:db8::1"), ("unknown", "127.0.0.1"), ("", "127.0.0.1"),
            ("192.0.2.1, x", "127.0.0.1"),
        ] as [(String?, String)])
    func clientAddressIsThePeerAddressUnlessTheLastXForwardedForAddressIsValid(
        _ field: String?, _ expected: String
    ) throws {
        let peer = IPAddress("127.0.0.1")
        #expect(IPAddress.client(peer: peer, forwardedFor: field).description == expected)
    }

    @Test(.requirement("SV24"), arguments: [false, true])
    func newImagesOverTheClientLimitAre429AndCachedImagesAreServed(trusts: Bool) async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(image, [OriginField("Cache-Control", "max-age=3600")]) }
        try await withService(origin: origin) {
            $0.limits.rendersPerClient = 2
            $0.server.trustsForwardedFor = trusts
        } _: { service in
            func target(_ side: Int) -> String { "/unsafe/\(side)x\(side)/127.0.0.1:\(origin.port)/a.png" }
            for side in [1, 2, 1, 2] { #expect(try await service.send(target(side)).status == 200) }

            let refused = try await service.send(target(3))
            #expect(refused.status == 429)
            let seconds = try #require(refused["Retry-After"].flatMap { Int($0) })
            #expect((1...30).contains(seconds))
            #expect(refused["Cache-Control"] == "no-store")
            let other = try await service.send(target(3), fields: [("X-Forwarded-For", "192.0.2.9")])
            #expect(other.status == (trusts ? 200 : 429))
            #expect(try await service.send(target(1)).status == 200)
        }
        await origin.stop()
    }
}
