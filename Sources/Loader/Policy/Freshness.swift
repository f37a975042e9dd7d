#if Loader
/// How long a stored response is fresh and how old it is (RFC 9111 §4.2). Heuristics take no part.
struct Freshness: Hashable, Sendable {
    /// In milliseconds, 0 or more; nil without end.
    let lifetime: Int64?
    /// In milliseconds, 0...2^31 s.
    let age: Int64
    /// True when the clock says that the response has not come yet: its age is unknown then, and it counts as stale.
    let isClockSetBack: Bool

    /// The freshness of a response at `now`.
    init(of response: StoredResponse, control: CacheControl, settings: CacheSettings, now: WallTime) {
        self = Lifespan(of: response, control: control, settings: settings).freshness(at: now)
    }

    fileprivate init(lifetime: Int64?, age: Int64, isClockSetBack: Bool) {
        self.lifetime = lifetime
        self.age = age
        self.isClockSetBack = isClockSetBack
    }

    /// True while the lifetime is more than the age.
    var isFresh: Bool {
        guard let lifetime else { return true }
        return !isClockSetBack && lifetime > age
    }

    /// Milliseconds for which it stays fresh, below 0 when it is stale; nil when that is unknown.
    var remaining: Int64? {
        guard let lifetime else { return .max }
        return isClockSetBack ? nil : lifetime - age
    }

    /// True when it is fresh or has not been stale for more than `milliseconds`.
    func isStale(forAtMost milliseconds: Int64) -> Bool {
        remaining.map { $0 >= -milliseconds } ?? false
    }

    /// True when the server itself says how long, with `max-age`, `Expires` or, to a shared cache, `s-maxage`, be it well
    /// or badly.
    static func isExplicit(_ fields: HeaderFields, _ control: CacheControl, isShared: Bool) -> Bool {
        control.lifetime(isShared: isShared) != nil || fields.contains("Expires")
    }
}

/// What the freshness of a stored response follows from at any moment: all that need not be worked out again.
struct Lifespan: Hashable, Sendable {
    /// As in ``Freshness/lifetime``.
    let lifetime: Int64?
    /// Milliseconds that the response was old when it came.
    let ageOnArrival: Int64
    /// When it came.
    let responseTime: WallTime

    /// The lifespan of a response.
    init(of response: StoredResponse, control: CacheControl, settings: CacheSettings) {
        lifetime = Self.lifetime(of: response, control: control, settings: settings)
        ageOnArrival = Self.ageOnArrival(of: response)
        responseTime = response.responseTime
    }

    /// The freshness at `now`.
    func freshness(at now: WallTime) -> Freshness {
        let resident = (now - responseTime).clampedToAge
        return Freshness(
            lifetime: lifetime, age: (ageOnArrival + resident).clampedToAge, isClockSetBack: now < responseTime)
    }

    /// HTTP-CACHE 4: the first rule that applies.
    private static func lifetime(
        of response: StoredResponse, control: CacheControl, settings: CacheSettings
    ) -> Int64? {
        guard settings.useServerCachePolicy else { return nil }
        if control.noCache { return 0 }
        if let seconds = control.lifetime(isShared: settings.isSharedCache) { return seconds * 1000 }
        if response.fields.contains("Expires") {
            guard let expires = response.fields.date("Expires", now: response.responseTime) else { return 0 }
            return (expires - date(of: response)).clampedToAge
        }
        guard !control.isPresent, Storability.takesDefaultMaxAge(response.status) else { return 0 }
        return settings.defaultCacheControlMaxAge.milliseconds
    }

    /// RFC 9111 §4.2.3. A `Date` has no fractions: to the second that it names the response's own is compared.
    private static func ageOnArrival(of response: StoredResponse) -> Int64 {
        let apparent = (WallTime(seconds: response.responseTime.seconds) - date(of: response)).clampedToAge
        let delay = (response.responseTime - response.requestTime).clampedToAge
        let corrected = (response.fields.age ?? 0) * 1000 + delay
        return max(apparent, corrected)
    }

    /// `Date`, or else when the response came.
    private static func date(of response: StoredResponse) -> WallTime {
        response.fields.date("Date", now: response.responseTime) ?? WallTime(seconds: response.responseTime.seconds)
    }
}

extension Int64 {
    /// Milliseconds, 0...2^31 s: sums of a few of them cannot overflow.
    fileprivate var clampedToAge: Int64 { Swift.min(Swift.max(self, 0), DeltaSeconds.max * 1000) }
}
#endif
