#if Service
/// How long an answer may be kept (SERVICE 4, point 2 and 2.4).
struct CacheLifetime: Hashable, Sendable {
    /// Where the lifetime of a picture comes from.
    enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The configured time alone.
        case ttl
        /// What the origin said alone; nothing when it said nothing.
        case passthrough
        /// The shorter of both.
        case min
    }

    /// The configuration, in seconds, 0 or more.
    struct Settings: Hashable, Sendable {
        var mode = Mode.min
        /// From the moment when the result was rendered or revalidated.
        var ttl = 86_400
        /// After the lifetime: a stale answer may go out while it is refreshed. 0 for none.
        var staleWhileRevalidate = 0
        /// Of an answer that says why there is no picture, and of a picture from a damaged file.
        var negativeTTL = 60
        /// Says that the answer will never change.
        var isImmutable = false
    }

    /// What the origin said of the source, at the moment of the answer, in seconds.
    struct Source: Hashable, Sendable {
        /// What is left of the lifetime, below 0 when it is over; nil when the origin gave none.
        var remaining: Int?
        /// Since the origin made it.
        var age = 0
        /// Only the one who asked may keep it.
        var isPrivate = false
        /// Nobody may keep it.
        var forbidsStoring = false
    }

    /// The value of `Cache-Control`.
    let cacheControl: String
    /// The value of `Age`, in seconds; nil where none is sent.
    let age: Int?
    /// Seconds for which the answer is fresh, from now on; 0 for one that nobody may keep.
    let remaining: Int
    /// True when a shared cache, ours too, may keep the answer.
    let isShareable: Bool

    /// Of a picture.
    ///
    /// - Parameters:
    ///   - resultAge: Seconds since the result was rendered or revalidated.
    ///   - isDamaged: The source could not be decoded whole.
    ///   - now: Milliseconds since 1970, for `expire()`.
    init(
        of source: Source, policy: AnswerPolicy, settings: Settings, resultAge: Int = 0, isDamaged: Bool = false,
        now: Int64
    ) {
        guard !source.forbidsStoring else {
            self = .never
            return
        }
        let ttl = max(0, settings.ttl - max(0, resultAge))
        var seconds =
            switch settings.mode {
            case .ttl: ttl
            case .passthrough: source.remaining ?? 0
            case .min: Swift.min(ttl, source.remaining ?? ttl)
            }
        // A target can only shorten what configuration and origin allow.
        if let maxAge = policy.maxAge { seconds = min(seconds, maxAge - max(0, resultAge)) }
        if let expires = policy.expires { seconds = min(seconds, Self.seconds(from: now, to: expires)) }
        if isDamaged { seconds = min(seconds, settings.negativeTTL - max(0, resultAge)) }
        seconds = min(max(0, seconds), Self.maxSeconds)

        // With Age a client counts from when the origin made it.
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

    /// Of an answer without a picture: what a client did wrong, or what is not there, may be kept for a short time; what
    /// may be right a moment later is never kept.
    init(of error: ServiceError, settings: Settings) {
        guard [404, 413, 415, 422].contains(error.status), settings.negativeTTL > 0 else {
            self = .never
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

    private static var never: Self { Self(cacheControl: "no-store", age: nil, remaining: 0, isShareable: false) }

    /// The largest number of seconds that HTTP means (RFC 9111 §1.2.2).
    private static let maxSeconds = 1 << 31

    /// Whole seconds, 0 when `end` is past.
    private static func seconds(from now: Int64, to end: Int64) -> Int {
        let (difference, overflows) = end.subtractingReportingOverflow(now)
        return end <= now ? 0 : overflows ? maxSeconds : Int(clamping: difference / 1000)
    }
}
#endif
