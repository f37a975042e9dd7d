#if Loader
import PlatformImage

/// Number and spacing of a load's attempts.
///
/// The delay is exponential backoff with full jitter: random between 0 and ``firstDelay``, whose upper bound doubles
/// with each attempt, so that clients that failed together do not retry together. `Retry-After` of the response is the
/// lower bound.
public struct RetryPolicy: Hashable, Sendable {
    /// Maximum number of attempts of one load; less than 2 disables retries.
    public var maxAttempts: Int
    /// Upper bound of the delay after the first attempt; it doubles after each further attempt. A negative value acts
    /// as 0.
    public var firstDelay: Duration

    /// A policy with these limits.
    public init(maxAttempts: Int, firstDelay: Duration = .milliseconds(500)) {
        self.maxAttempts = maxAttempts
        self.firstDelay = firstDelay
    }

    /// One attempt, no retries.
    public static var none: Self { Self(maxAttempts: 1) }
    /// Up to five attempts, with delays of up to 0.5, 1, 2 and 4 seconds.
    public static var standard: Self { Self(maxAttempts: 5) }

    /// The delay before the next attempt; nil when the load must not be retried.
    ///
    /// - Parameters:
    ///   - attempts: Attempts that this load has made, at least 1.
    ///   - error: Failure of the last attempt. Fatal failures and cancellation are not retried.
    ///   - maxRetryDelay: Upper bound of the delay. A longer `Retry-After` ends the load; the error contains its value.
    ///   - generator: Random number generator of the jitter.
    public func delay(
        afterAttempts attempts: Int, failedWith error: LoadError, maxRetryDelay: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        precondition(attempts >= 1, "attempts must be at least 1")
        guard error.isRetryable, attempts < maxAttempts else { return nil }
        let requestedDelay = error.retryAfter ?? .zero
        guard requestedDelay <= max(maxRetryDelay, .zero) else { return nil }
        let maxBackoff = backoff(afterAttempts: attempts, atMost: maxRetryDelay)
        return max(requestedDelay, .nanoseconds(Int64.random(in: 0...maxBackoff, using: &generator)))
    }

    /// Upper bound of the jitter in nanoseconds: ``firstDelay`` x 2^(attempts - 1), at least 0 and at most `limit`.
    private func backoff(afterAttempts attempts: Int, atMost limit: Duration) -> Int64 {
        let limit = max(0, limit.nanosecondCount)
        var delay = max(0, firstDelay.nanosecondCount)
        var doublings = attempts - 1
        while doublings > 0, delay > 0, delay < limit {
            let (doubled, overflows) = delay.multipliedReportingOverflow(by: 2)
            delay = overflows ? limit : doubled
            doublings -= 1
        }
        return min(delay, limit)
    }
}
#endif
