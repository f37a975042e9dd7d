/// Cache lifetime of a response: its `Cache-Control` and `Age` (Docs/service-rules.md 4, point 2, and 2.4).
struct CacheLifetime: Hashable, Sendable {
    /// Source of the lifetime of an image response.
    enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The configured `ttl` only.
        case ttl
        /// The origin's lifetime only; 0 when the origin stated none.
        case passthrough
        /// The shorter of the configured lifetime and the origin's lifetime.
        case min
    }

    /// Configured lifetimes in seconds, 0 or more.
    struct Settings: Hashable, Sendable {
        var mode = Mode.min
        /// Lifetime of a result, counted from its render or last revalidation.
        var ttl = 86_400
        /// `stale-while-revalidate`: time after the lifetime in which a stale response may be served during a refresh.
        /// 0 for none.
        var staleWhileRevalidate = 0
        /// Lifetime of error responses that may be cached, and maximum lifetime of images from damaged and stale
        /// sources. 0 disables caching of errors.
        var negativeTTL = 60
        /// Adds the `immutable` directive (RFC 8246).
        var isImmutable = false
    }

    /// Caching information of the origin's response. Times are in seconds, at the time of the service's response.
    struct Source: Hashable, Sendable {
        /// Remaining freshness lifetime, 0 or less when it has expired; nil when the origin stated none.
        var remaining: Int?
        /// Age of the origin's response.
        var age = 0
        /// The origin sent `private` or `Set-Cookie`: shared caches may not store the response.
        var isPrivate = false
        /// The origin sent `no-store` or `Vary: *`: no cache may store the response.
        var forbidsStoring = false
    }

    /// Value of `Cache-Control`.
    let cacheControl: String
    /// Value of `Age` in seconds; nil when the field is not sent.
    let age: Int?
    /// Seconds for which the response remains fresh; 0 for `no-store`.
    let remaining: Int
    /// True when shared caches, including the result cache of the service, may store the response.
    let isShareable: Bool

    /// Computes the lifetime of an image response.
    ///
    /// - Parameters:
    ///   - resultAge: Seconds since the result was rendered or revalidated.
    ///   - isDamaged: The source could not be decoded completely, or is stale because its origin failed.
    ///   - now: Milliseconds since 1970, compared with `expires`.
    init(
        of source: Source, policy: ResponsePolicy, settings: Settings, resultAge: Int = 0, isDamaged: Bool = false,
        now: Int64
    ) {
        guard !source.forbidsStoring else {
            self = .noStore
            return
        }
        let ttl = max(0, settings.ttl - max(0, resultAge))
        var seconds =
            switch settings.mode {
            case .ttl: ttl
            case .passthrough: source.remaining ?? 0
            case .min: Swift.min(ttl, source.remaining ?? ttl)
            }
        // A target can only shorten the lifetime that the configuration and the origin allow.
        if let maxAge = policy.maxAge { seconds = min(seconds, maxAge - max(0, resultAge)) }
        if let expires = policy.expires { seconds = min(seconds, Self.seconds(from: now, to: expires)) }
        if isDamaged { seconds = min(seconds, settings.negativeTTL - max(0, resultAge)) }
        seconds = min(max(0, seconds), Self.maxSeconds)

        // Clients subtract `Age` from `max-age`, so the age is added to `max-age`.
        let age = settings.mode == .passthrough ? min(max(0, source.age), Self.maxSeconds) : 0
        var value = "\(source.isPrivate ? "private" : "public"), max-age=\(min(seconds + age, Self.maxSeconds))"
        if !source.isPrivate, seconds > 0, !isDamaged {
            if settings.staleWhileRevalidate > 0 {
                value += ", stale-while-revalidate=\(settings.staleWhileRevalidate)"
            }
            if settings.isImmutable { value += ", immutable" }
        }
        cacheControl = value
        self.age = settings.mode == .passthrough ? age : nil
        remaining = seconds
        isShareable = !source.isPrivate
    }

    /// Computes the lifetime of an error response: `negativeTTL` for the permanent errors 404, 413, 415 and 422;
    /// `no-store` when `negativeTTL` is 0, and for all other errors, because a repeated request may succeed.
    init(of error: ServiceError, settings: Settings) {
        guard [404, 413, 415, 422].contains(error.status), settings.negativeTTL > 0 else {
            self = .noStore
            return
        }
        let seconds = min(settings.negativeTTL, Self.maxSeconds)
        self.init(cacheControl: "public, max-age=\(seconds)", age: nil, remaining: seconds, isShareable: true)
    }

    private init(cacheControl: String, age: Int?, remaining: Int, isShareable: Bool) {
        self.cacheControl = cacheControl
        self.age = age
        self.remaining = remaining
        self.isShareable = isShareable
    }

    private static var noStore: Self { Self(cacheControl: "no-store", age: nil, remaining: 0, isShareable: false) }

    /// The largest delta-seconds value that is sent or stored: 2³¹ (RFC 9111 §1.2.2).
    static let maxSeconds = 1 << 31

    /// The ages that are stored.
    static let ages = 0...maxSeconds
    /// The remaining lifetimes that are stored, negative when they have expired.
    static let remainders = -maxSeconds...maxSeconds

    static func clampedSeconds(_ age: Int64) -> Int { Int(clamping: Swift.min(Swift.max(0, age), 1 << 31)) }

    static func clampedRemaining(_ seconds: Int) -> Int { Swift.min(Swift.max(-maxSeconds, seconds), maxSeconds) }

    /// Whole seconds from `now` to `end`, both in milliseconds; 0 when `end` is past.
    private static func seconds(from now: Int64, to end: Int64) -> Int {
        let (difference, overflows) = end.subtractingReportingOverflow(now)
        return end <= now ? 0 : overflows ? maxSeconds : Int(clamping: difference / 1000)
    }
}
