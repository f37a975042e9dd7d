/// Freshness lifetime and age of a stored response (RFC 9111 §4.2), without heuristic freshness.
struct Freshness: Hashable, Sendable {
    /// Freshness lifetime in milliseconds, 0 or more; nil means unlimited.
    let lifetime: Int64?
    /// Age in milliseconds, clamped to 0...2^31 s.
    let age: Int64
    /// True when the response time is in the future: the age is unknown, and the response counts as stale unless its
    /// lifetime is unlimited.
    let isClockSetBack: Bool

    /// Computes the freshness of a response at `now`.
    init(of response: StoredResponse, control: CacheControl, settings: CacheSettings, now: WallTime) {
        self = Lifespan(of: response, control: control, settings: settings).freshness(at: now)
    }

    fileprivate init(lifetime: Int64?, age: Int64, isClockSetBack: Bool) {
        self.lifetime = lifetime
        self.age = age
        self.isClockSetBack = isClockSetBack
    }

    /// True while the lifetime exceeds the age; false when the age is unknown, unless the lifetime is unlimited.
    var isFresh: Bool {
        guard let lifetime else { return true }
        return !isClockSetBack && lifetime > age
    }

    /// Milliseconds until the response becomes stale, 0 or less when it is stale, `Int64.max` for an unlimited
    /// lifetime; nil when the age is unknown.
    var remaining: Int64? {
        guard let lifetime else { return .max }
        return isClockSetBack ? nil : lifetime &- age
    }

    /// Returns true when the response is fresh or has been stale for at most `milliseconds`.
    func isStale(forAtMost milliseconds: Int64) -> Bool {
        remaining.map { $0 >= 0 &- max(0, milliseconds) } ?? false
    }

    /// Returns true when the server states a lifetime by `max-age`, `Expires` or, for a shared cache, `s-maxage`, even
    /// an invalid one.
    static func isExplicit(_ fields: HeaderFields, _ control: CacheControl, isShared: Bool) -> Bool {
        control.lifetime(isShared: isShared) != nil || fields.contains("Expires")
    }
}

/// The time-independent inputs of ``Freshness``, computed once per stored response.
struct Lifespan: Hashable, Sendable {
    /// As in ``Freshness/lifetime``.
    let lifetime: Int64?
    /// Corrected initial age (RFC 9111 §4.2.3) in milliseconds: the age when the response was received.
    let ageOnArrival: Int64
    /// When the response was received.
    let responseTime: WallTime

    /// Computes the lifespan of a response.
    init(of response: StoredResponse, control: CacheControl, settings: CacheSettings) {
        lifetime = Self.lifetime(of: response, control: control, settings: settings)
        ageOnArrival = Self.ageOnArrival(of: response)
        responseTime = response.responseTime
    }

    /// Returns the freshness at `now`.
    func freshness(at now: WallTime) -> Freshness {
        let resident = now.milliseconds(since: responseTime).clampedToAge
        return Freshness(
            lifetime: lifetime, age: (ageOnArrival &+ resident).clampedToAge, isClockSetBack: now < responseTime)
    }

    /// Applies the first matching rule of Docs/http-cache.md 4.
    private static func lifetime(
        of response: StoredResponse, control: CacheControl, settings: CacheSettings
    ) -> Int64? {
        guard settings.useServerCachePolicy else { return nil }
        if control.noCache { return 0 }
        if let seconds = control.lifetime(isShared: settings.isSharedCache) { return seconds &* 1000 }
        if response.fields.contains("Expires") {
            guard let expires = response.fields.date("Expires", now: response.responseTime) else { return 0 }
            return expires.milliseconds(since: date(of: response)).clampedToAge
        }
        guard !control.isPresent, Storability.usesDefaultMaxAge(response.status) else { return 0 }
        return settings.defaultCacheControlMaxAge.milliseconds
    }

    /// Computes the corrected initial age (RFC 9111 §4.2.3). `Date` has no fractions of a second, so the response time
    /// is rounded down to seconds.
    private static func ageOnArrival(of response: StoredResponse) -> Int64 {
        let apparent = WallTime(seconds: response.responseTime.seconds)
            .milliseconds(since: date(of: response)).clampedToAge
        let delay = response.responseTime.milliseconds(since: response.requestTime).clampedToAge
        let corrected = (response.fields.age ?? 0) &* 1000 &+ delay
        return max(apparent, corrected)
    }

    /// Returns the time of the `Date` field, or without a valid `Date` the time when the response was received.
    private static func date(of response: StoredResponse) -> WallTime {
        response.fields.date("Date", now: response.responseTime) ?? WallTime(seconds: response.responseTime.seconds)
    }
}

extension Int64 {
    /// Milliseconds clamped to 0...2^31 s, so that sums of a few values cannot overflow.
    fileprivate var clampedToAge: Int64 { Swift.min(Swift.max(self, 0), DeltaSeconds.max &* 1000) }
}
