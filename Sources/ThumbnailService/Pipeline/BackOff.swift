#if Service
import PlatformImageLoader

/// When something that fails again and again may be tried next: 10 s after a failure, 1 min after the second in a row,
/// then every 10 min. Each time one attempt is let through, the probe.
struct BackOff: Sendable {
    /// Milliseconds after the first, the second and every later failure in a row.
    static let delays: [Int64] = [10_000, 60_000, 600_000]
    /// Milliseconds after which a probe without a result is given up; the default of `server.deadline`.
    static let probeTime: Int64 = 20_000

    private var failureCount = 0
    private var until: WallTime?
    private var isProbing = false

    /// Milliseconds for which nothing is let through; 0 for a probe now.
    func remaining(now: WallTime) -> Int64 {
        guard let until else { return 0 }
        let left = until - now
        // More than the longest delay: the clock was set back.
        return left > Self.delays[Self.delays.count - 1] ? 0 : max(0, left)
    }

    /// Lets one attempt through when its time has come; the next one has to wait for its result.
    mutating func admitsProbe(now: WallTime) -> Bool {
        guard remaining(now: now) == 0 else { return false }
        isProbing = true
        until = now.adding(milliseconds: Self.probeTime)
        return true
    }

    /// Counts a failure. Those of attempts that began before the first one was counted are the same failure.
    mutating func fail(now: WallTime) {
        guard isProbing || remaining(now: now) == 0 else { return }
        until = now.adding(milliseconds: Self.delays[min(failureCount, Self.delays.count - 1)])
        failureCount += 1
        isProbing = false
    }

    /// Notes that a probe ended without a result: the next attempt is a probe again.
    mutating func endProbe(now: WallTime) {
        if isProbing { until = now }
    }
}

extension ServiceError {
    /// The same error with the time of a back-off, rounded up to seconds.
    func retried(afterMilliseconds left: Int64) -> Self {
        Self(reason, status: status, retryAfter: Int((left + 999) / 1_000), message)
    }
}
#endif
