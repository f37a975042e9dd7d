import PlatformImageLoader

/// Retry delays after repeated failures: 10 s after the first, 1 min after the second in a row, then 10 min each. After
/// each delay one attempt, the probe, is allowed.
struct BackOff: Sendable {
    /// Milliseconds after the first, the second and every later failure in a row.
    static let delays: [Int64] = [10_000, 60_000, 600_000]
    /// Milliseconds after which a probe without a result counts as abandoned; equal to the default of the setting
    /// `server.deadline`.
    static let probeTimeout: Int64 = 20_000

    private var failureCount = 0
    private var until: WallTime?
    private var isProbing = false

    /// Returns the milliseconds until the next probe is allowed; 0 when it is allowed now.
    func remaining(now: WallTime) -> Int64 {
        guard let until else { return 0 }
        let left = until - now
        // A remaining time over the longest delay means that the clock was set back.
        return left > Self.delays[Self.delays.count - 1] ? 0 : max(0, left)
    }

    /// Starts a probe and returns true when the delay has passed. Further attempts are then blocked until the result of
    /// the probe, for at most ``probeTimeout``.
    mutating func admitsProbe(now: WallTime) -> Bool {
        guard remaining(now: now) == 0 else { return false }
        isProbing = true
        until = now.adding(milliseconds: Self.probeTimeout)
        return true
    }

    /// Counts a failure. Failures of concurrent attempts, reported during the delay, count as one.
    mutating func fail(now: WallTime) {
        guard isProbing || remaining(now: now) == 0 else { return }
        until = now.adding(milliseconds: Self.delays[min(failureCount, Self.delays.count - 1)])
        failureCount += 1
        isProbing = false
    }

    /// Ends a probe without a result: the next attempt is a probe again.
    mutating func endProbe(now: WallTime) {
        if isProbing { until = now }
    }
}

extension ServiceError {
    /// Returns the error with the remaining delay as `Retry-After`, rounded up to seconds.
    func withRetryAfter(milliseconds left: Int64) -> Self {
        Self(
            reason, status: status, retryAfter: Int((left + 999) / 1_000), code: code, detail: detail, message)
    }
}
