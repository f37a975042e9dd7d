import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct RetryTests {
    /// Always returns one number. It must not be 0: the standard library rejects 0 and would request another number
    /// without end.
    private struct ConstantGenerator: RandomNumberGenerator {
        let number: UInt64
        mutating func next() -> UInt64 { number }
    }

    private static let transport = LoadError.transport("reset")

    private func http(_ status: Int, retryAfter: Duration? = nil) -> LoadError {
        LoadError(.http, statusCode: status, retryAfter: retryAfter, "status")
    }

    private func delay(
        _ policy: RetryPolicy, _ attempts: Int, _ error: LoadError = transport, limit: Duration = .seconds(30),
        seed: UInt64 = 1
    ) -> Duration? {
        var random = SplitMix(seed: seed)
        return policy.delay(afterAttempts: attempts, failedWith: error, maxRetryDelay: limit, using: &random)
    }

    @Test func retryPolicyNoneAllowsOneAttemptAndStandardAllowsFive() {
        #expect(delay(.none, 1) == nil)
        for attempts in 1...4 { #expect(delay(.standard, attempts) != nil) }
        for attempts in 5...9 { #expect(delay(.standard, attempts) == nil) }
    }

    @Test func retryPolicyWithAtMostOneAttemptNeverRetries() {
        for attempts in [Int.min, -1, 0, 1] { #expect(delay(RetryPolicy(maxAttempts: attempts), 1) == nil) }
    }

    /// The upper bound doubles with each attempt up to the limit. The smallest and the largest random number give the
    /// two ends of the range.
    @Test func retryDelayIsBetweenZeroAndTheExponentialUpperBound() {
        let policy = RetryPolicy(maxAttempts: 100)
        var longest = Duration.milliseconds(500)
        for attempts in 1...99 {
            var low = ConstantGenerator(number: 1)
            var high = ConstantGenerator(number: .max)
            let least = policy.delay(
                afterAttempts: attempts, failedWith: Self.transport, maxRetryDelay: .seconds(30), using: &low)
            let most = policy.delay(
                afterAttempts: attempts, failedWith: Self.transport, maxRetryDelay: .seconds(30), using: &high)
            #expect(least == .zero)
            #expect(most == longest, "\(attempts)")
            longest = min(longest * 2, .seconds(30))
        }
    }

    @Test func retryDelaysAreUniformlyDistributed() {
        var random = SplitMix(seed: 7)
        var counts = [0, 0, 0, 0]
        for _ in 0..<4_000 {
            let wait = RetryPolicy.standard.delay(
                afterAttempts: 2, failedWith: Self.transport, maxRetryDelay: .seconds(30), using: &random)
            counts[min(3, Int((wait ?? .zero) / .milliseconds(250)))] += 1
        }
        // Each quarter of a second has 1,000 expected delays. The standard deviation is 27; the tolerance is 6 standard
        // deviations.
        for count in counts { #expect(abs(count - 1_000) < 165) }
    }

    @Test func retryDelayIsBoundedAtExtremeAttemptCountsAndLimits() {
        let limits: [Duration] = [.zero, .seconds(-1), .nanoseconds(1), .seconds(30), .seconds(Int64.max)]
        for first in limits {
            for limit in limits {
                let wait = delay(
                    RetryPolicy(maxAttempts: .max, firstDelay: first), .max - 1, limit: limit)
                #expect(wait.map { $0 >= .zero && $0 <= max(limit, .zero) } == true)
            }
        }
    }

    @Test func fatalAndCancelledErrorsAreNotRetried() {
        let codes: [LoadError.Code] = [
            .invalidURL, .unsupportedScheme, .configuration, .notInCache, .remembered, .tls, .unexpectedStatus,
            .redirect,
            .unacceptableContentType, .bodyTooLarge, .undecodable, .unsupportedFormat, .pixelLimit, .cancelled,
        ]
        for code in codes { #expect(delay(.standard, 1, LoadError(code, "")) == nil, "\(code)") }
        for status in 400...599 {
            let isRepeated = delay(.standard, 1, http(status)) != nil
            #expect(isRepeated == ([408, 425, 429].contains(status) || status >= 500), "\(status)")
        }
        #expect(delay(.standard, 1, .remembered(http(503), until: WallTime(seconds: 9))) == nil)
    }

    @Test func retryAfterIsTheMinimumRetryDelay() {
        for seed in 0..<200 as Range<UInt64> {
            #expect(delay(.standard, 1, http(503, retryAfter: .seconds(7)), seed: seed) == .seconds(7))
            let late = delay(.standard, 4, http(503, retryAfter: .seconds(1)), seed: seed)
            #expect(late.map { $0 >= .seconds(1) && $0 <= .seconds(4) } == true)
        }
    }

    @Test func retryAfterOverMaxRetryDelayEndsTheRetries() {
        #expect(delay(.standard, 1, http(503, retryAfter: .seconds(30))) == .seconds(30))
        #expect(delay(.standard, 1, http(503, retryAfter: .seconds(31))) == nil)
        #expect(delay(.standard, 1, http(503, retryAfter: .zero), limit: .zero) == .zero)
    }

    @Test(
        arguments: [
            (["Retry-After": "0"], 0), (["retry-after": "120"], 120_000), (["Retry-After": " 5 "], 5_000),
            (["Retry-After": "99999999999999999999"], 2_147_483_648_000), ([:], nil), (["Retry-After": ""], nil),
            (["Retry-After": "-1"], nil), (["Retry-After": "1.5"], nil), (["Retry-After": "soon"], nil),
            (["Retry-After": "+1"], nil), (["Retry-After": "1", "retry-after": "2"], nil),
            (["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"], 60_000),
            (["Retry-After": "Sunday, 06-Nov-94 08:50:37 GMT"], 60_000),
            (["Retry-After": "Sun Nov  6 08:50:37 1994"], 60_000),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:00 GMT"], 0),
            (["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"], 2_147_483_648_000),
            // The clock of the origin is one hour ahead, as its Date shows.
            (["Retry-After": "Sun, 06 Nov 1994 09:49:47 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT"], 10_000),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT", "Date": "nonsense"], 10_000),
        ] as [(HeaderFields, Int64?)])
    func retryAfterFieldIsParsedAsSecondsOrAsADate(_ row: (HeaderFields, Int64?)) {
        let now = WallTime(seconds: 784_111_777)

        #expect(row.0.retryAfter(responseTime: now) == row.1.map { .milliseconds($0) })
    }
}
