import PlatformImage

/// Maximum number of attempts of a load, and the delays between them.
///
/// The delay is exponential backoff with full jitter: a random duration between 0 and an upper bound, which is
/// ``firstDelay`` after the first attempt and doubles with each further attempt. Clients whose requests failed at the
/// same time therefore retry at different times. The delay is at least the `Retry-After` of the response.
public struct RetryPolicy: Hashable, Sendable {
    /// Maximum number of attempts of one load; less than 2 disables retries.
    public var maxAttempts: Int
    /// Upper bound of the random delay after the first attempt; it doubles after each further attempt. A negative value
    /// acts as 0.
    public var firstDelay: Duration

    /// A policy with these limits.
    public init(maxAttempts: Int, firstDelay: Duration = .milliseconds(500)) {
        self.maxAttempts = maxAttempts
        self.firstDelay = firstDelay
    }

    /// One attempt, no retries.
    public static var none: Self { Self(maxAttempts: 1) }
    /// Up to five attempts, with random delays of up to 0.5, 1, 2 and 4 seconds, or longer with `Retry-After`.
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
