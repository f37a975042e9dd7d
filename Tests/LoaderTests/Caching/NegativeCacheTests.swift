import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.requirement("O83")) struct NegativeCacheTests {
    private let now = WallTime(seconds: 1_000)

    private func key(_ name: Int, partition: String = "") throws -> CacheKey {
        try #require(CacheKey(url: "http://h/\(name)", partition: partition))
    }

    private func http(_ status: Int) -> LoadError { LoadError(.http, statusCode: status, "status \(status)") }

    @Test func onlyStatus404Or410AndUndecodableOrUnacceptedBodiesAreCachedAsFailures() throws {
        let codes: [LoadError.Code] = [
            .invalidURL, .unsupportedScheme, .configuration, .notInCache, .remembered, .transport, .tls,
            .unexpectedStatus,
            .redirect, .unacceptableContentType, .bodyTooLarge, .undecodable, .unsupportedFormat, .pixelLimit,
            .cancelled,
        ]
        let key = try key(1)
        for error in codes.map({ LoadError($0, "") }) + (400...599).map(http) {
            let cache = NegativeCache()
            cache.remember(error, for: key, now: now)

            let isRemembered = cache.failure(for: key, maxAge: .seconds(1), now: now) != nil
            let isDefinitive: Bool =
                switch error.code {
                case .http: error.statusCode == 404 || error.statusCode == 410
                case .unacceptableContentType, .undecodable, .unsupportedFormat: true
                default: false
                }
            #expect(isRemembered == isDefinitive, "\(error)")
        }
    }

    @Test func cachedFailureContainsTheOriginalErrorCodeAndItsExpiryTime() throws {
        let cache = NegativeCache()
        let key = try key(1)
        cache.remember(LoadError(.undecodable, url: "http://h/1", "no picture"), for: key, now: now)

        let error = try #require(cache.failure(for: key, maxAge: .seconds(9), now: now))

        #expect(error.code == .remembered)
        #expect(error.original == .undecodable)
        #expect(error.url == "http://h/1")
        #expect(error.until == WallTime(seconds: 1_009))
        #expect(error.isFatal)
        #expect(!error.isRetryable)
        #expect(error.message.contains("no picture"))
    }

    @Test(
        arguments: [
            (0, 10, true), (9_999, 10, true), (10_000, 10, false), (-1, 10, false), (0, 0, false), (0, nil, false),
            (0, -1, false), (1_000_000_000, Int64.max, true),
        ] as [(Int64, Int64?, Bool)])
    func cachedFailureIsReturnedUntilItReachesTheMaximumAge(_ row: (Int64, Int64?, Bool)) throws {
        let cache = NegativeCache()
        let key = try key(1)
        cache.remember(http(404), for: key, now: now)

        let error = cache.failure(for: key, maxAge: row.1.map { .seconds($0) }, now: now.adding(milliseconds: row.0))

        #expect((error != nil) == row.2)
    }

    @Test func expiredFailureIsRemovedAndNotReturnedAfterTheClockIsSetBack() throws {
        let cache = NegativeCache()
        let key = try key(1)
        cache.remember(http(404), for: key, now: now)

        #expect(cache.failure(for: key, maxAge: .seconds(1), now: now.adding(milliseconds: 1_000)) == nil)
        #expect(cache.count == 0)
        #expect(cache.failure(for: key, maxAge: .seconds(1), now: now) == nil)
    }

    @Test func leastRecentlyUsedFailureIsEvictedAtTheMaximumCount() throws {
        let cache = NegativeCache(maxCount: 3)
        for name in 1...3 { cache.remember(http(404), for: try key(name), now: now) }
        _ = cache.failure(for: try key(1), maxAge: .seconds(1), now: now)
        cache.remember(http(410), for: try key(4), now: now)

        let left = try (1...4).filter { cache.failure(for: try key($0), maxAge: .seconds(1), now: now) != nil }
        #expect(left == [1, 3, 4])
        #expect(cache.count == 3)
    }

    @Test(arguments: [0, -1])
    func cacheWithAMaximumCountOfZeroOrLessCachesNothing(_ limit: Int) throws {
        let cache = NegativeCache(maxCount: limit)
        cache.remember(http(404), for: try key(1), now: now)

        #expect(cache.failure(for: try key(1), maxAge: .seconds(1), now: now) == nil)
    }

    /// A body that one load rejects may be acceptable for a load with other accepted types. An error status of the
    /// origin applies to all loads.
    @Test func cachedFailureOfARejectedBodyIsNotReturnedToLoadsWithOtherAcceptedTypes() throws {
        let key = try key(1)
        let png = NegativeCache.Acceptance(acceptedContentTypes: [.png], variant: "")
        let gif = NegativeCache.Acceptance(acceptedContentTypes: [.gif], variant: "")
        let half = NegativeCache.Acceptance(acceptedContentTypes: [.png], variant: "half")
        let rows: [(error: LoadError, gif: Bool, half: Bool)] = [
            (LoadError(.unacceptableContentType, ""), false, true), (LoadError(.undecodable, ""), false, false),
            (LoadError(.unsupportedFormat, ""), false, false), (http(404), true, true),
        ]
        for row in rows {
            let cache = NegativeCache()
            cache.remember(row.error, for: key, now: now, acceptance: png)
            #expect((cache.failure(for: key, maxAge: .seconds(1), now: now, acceptance: gif) != nil) == row.gif)
            #expect((cache.failure(for: key, maxAge: .seconds(1), now: now, acceptance: half) != nil) == row.half)
            #expect(cache.failure(for: key, maxAge: .seconds(1), now: now, acceptance: png) != nil)
        }
    }

    @Test func cachedFailureOfOnePartitionIsNotReturnedForAnotherPartition() throws {
        let cache = NegativeCache()
        cache.remember(http(404), for: try key(1, partition: "a"), now: now)

        #expect(cache.failure(for: try key(1), maxAge: .seconds(1), now: now) == nil)
        #expect(cache.failure(for: try key(1, partition: "a"), maxAge: .seconds(1), now: now) != nil)
    }

    @Test func removeDiscardsOneCachedFailureAndRemoveAllDiscardsAll() throws {
        let cache = NegativeCache()
        for name in 1...3 { cache.remember(http(404), for: try key(name), now: now) }

        cache.remove(try key(2))
        #expect(cache.failure(for: try key(2), maxAge: .seconds(1), now: now) == nil)
        #expect(cache.count == 2)
        cache.removeAll()
        #expect(cache.count == 0)
    }
}
