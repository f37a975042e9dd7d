extension CacheEntry {
    /// Returns the stored error to use instead of sending `request` (Docs/http-cache.md 6.4); nil for none.
    func rememberedError(request: CacheRequest, settings: CacheSettings, now: WallTime) -> RememberedError? {
        guard let failure else { return nil }
        if let freshUntil = failure.freshUntil, settings.useServerCachePolicy {
            // If the entry also has a response, the failure applies only to the variant of that response.
            let matchesVariant = response.map { Vary.matches($0, request.fields) } ?? true
            guard matchesVariant, failure.at <= now, now < freshUntil else { return nil }
            return RememberedError(status: failure.status, until: freshUntil, isFresh: true)
        }
        guard let end = failure.pauseEnd(settings), failure.at <= now, now < end else { return nil }
        return RememberedError(status: failure.status, until: end, isFresh: false)
    }
}

extension FailureRecord {
    /// Returns the end of the pause after the last error; nil when no pause is configured or too few errors occurred.
    func pauseEnd(_ settings: CacheSettings) -> WallTime? {
        let pause = settings.defaultCacheControlMaxAgeForErrors.milliseconds
        return pause > 0 && attempts >= settings.failureThreshold ? at.adding(milliseconds: pause) : nil
    }

    /// Creates the record after another error without explicit freshness.
    ///
    /// - Parameter previous: The stored record. Counting restarts after the end of its pause; a load that ignores the
    ///   pause and fails prolongs it.
    init(status: Int, after previous: FailureRecord?, at time: WallTime, settings: CacheSettings) {
        var attempts = 1
        if let previous, previous.freshUntil == nil {
            if previous.attempts < settings.failureThreshold {
                attempts = max(previous.attempts, 0) &+ 1  // below the threshold
            } else if let end = previous.pauseEnd(settings), previous.at <= time, time < end {
                attempts = previous.attempts
            }
        }
        self.init(status: status, attempts: attempts, at: time)
    }
}

extension CacheSettings {
    /// ``maxAttemptsForErrors``, at least 1.
    var failureThreshold: Int { max(maxAttemptsForErrors, 1) }
}
