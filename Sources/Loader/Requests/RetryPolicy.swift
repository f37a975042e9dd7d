#if Loader
import PlatformImage

/// Whether and when a load whose attempt failed tries again.
///
/// The wait is random, between nothing and ``firstDelay`` doubled with each attempt (exponential backoff with full
/// jitter), so that clients that failed together do not come back together. What the origin asks for in `Retry-After`
/// is the least it can be.
public struct RetryPolicy: Hashable, Sendable {
    /// Attempts of one load in all; less than 2 never tries again.
    public var maxAttempts: Int
    /// The longest wait after the first attempt; doubled after each further one. Less than 0 acts as 0.
    public var firstDelay: Duration

    /// A policy of these figures.
    public init(maxAttempts: Int, firstDelay: Duration = .milliseconds(500)) {
        self.maxAttempts = maxAttempts
        self.firstDelay = firstDelay
    }

    /// One attempt.
    public static var none: Self { Self(maxAttempts: 1) }
    /// Five attempts in all, with waits of up to 0.5, 1, 2 and 4 seconds.
    public static var standard: Self { Self(maxAttempts: 5) }

    /// How long to wait before the next attempt; nil to give up.
    ///
    /// - Parameters:
    ///   - attempts: Attempts that this load has made, at least 1.
    ///   - error: How the last one failed. What is fatal or cancelled is never tried again.
    ///   - maxRetryDelay: No wait is longer. An origin that asks for more ends the load, with its wish in the error.
    ///   - generator: Where the chance comes from.
    public func delay(
        afterAttempts attempts: Int, failedWith error: LoadError, maxRetryDelay: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        precondition(attempts >= 1, "a load that failed has made an attempt")
        guard error.isRetryable, attempts < maxAttempts else { return nil }
        let wish = error.retryAfter ?? .zero
        guard wish <= max(maxRetryDelay, .zero) else { return nil }
        let longest = backoff(afterAttempts: attempts, atMost: maxRetryDelay)
        return max(wish, .nanoseconds(Int64.random(in: 0...longest, using: &generator)))
    }

    /// Nanoseconds: ``firstDelay`` x 2^(attempts - 1), between 0 and the limit.
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
