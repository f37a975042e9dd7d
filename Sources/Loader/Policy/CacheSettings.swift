internal import PlatformImage

/// The use of stored responses by a load (Docs/http-cache.md 5).
///
/// More cases may come with a minor version: a `switch` outside of this package needs `@unknown default`.
@nonexhaustive
public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
    /// Uses a fresh entry; validates a stale one first.
    case `default`
    /// Validates even a fresh entry, unless it is `immutable` (RFC 8246) or the server policy is disabled.
    case revalidate
    /// Sends an unconditional request and stores the response.
    case reload
    /// Uses a fresh entry, or a stale one without `must-revalidate` and `no-cache`; otherwise sends a request.
    case cacheElseLoad
    /// Like ``cacheElseLoad``, but sends no request: without a usable entry the load fails.
    case cacheOnly
}

/// The condition under which a stale entry replaces a failed validation (RFC 5861 §4); never for `must-revalidate` or
/// `no-cache`.
public enum StaleIfError: Hashable, Sendable {
    /// A failed validation fails the load.
    case never
    /// For a time after the entry became stale: the seconds of the `stale-if-error` directive of its response.
    case serverDirective
    /// For this time after the entry became stale, or for the time of the `stale-if-error` directive if that is longer.
    case upTo(Duration)
}

/// The cache settings of the application; negative durations act as 0.
public struct CacheSettings: Hashable, Sendable {
    /// False treats every stored success as fresh forever and ignores the server's caching directives.
    public var useServerCachePolicy = true
    /// Freshness lifetime of a 200, 203, 301 or 308 response without Cache-Control and Expires; each 304 restarts it.
    /// With 0 such a response is stale immediately.
    public var defaultCacheControlMaxAge: Duration = .zero
    /// Time for which a URL is not requested after ``maxAttemptsForErrors`` consecutive loads with an error response
    /// without explicit freshness; 0 means no pause.
    public var defaultCacheControlMaxAgeForErrors: Duration = .zero
    /// Number of consecutive loads with an error response (status 400...599) before the pause of
    /// ``defaultCacheControlMaxAgeForErrors`` starts; less than 1 acts as 1. Prefer the alias
    /// ``failedLoadsBeforePause``: each load counts once, however often ``RetryPolicy`` repeats its request.
    public var maxAttemptsForErrors = 3
    /// When a stale entry is used instead of an error.
    public var staleIfError = StaleIfError.never
    /// True for a cache whose responses are shared by several users (RFC 9111 §3, §5.2.2).
    ///
    /// A shared cache does not store responses that are `private`, set cookies, or belong to a request with
    /// `Authorization`.
    /// In it, `s-maxage` overrides `max-age` and `Expires`; both `s-maxage` and `proxy-revalidate` forbid stale use.
    public var isSharedCache = false
    /// True delivers a stale entry before the response to its validation request is received.
    public var deliversStaleBeforeValidation = true

    /// Creates the default settings.
    public init() {}
}

extension CacheSettings {
    /// Number of consecutive loads with an error response (status 400...599) before the pause of
    /// ``defaultCacheControlMaxAgeForErrors`` starts; less than 1 acts as 1. The same value as
    /// ``maxAttemptsForErrors``, which is the name of the original design.
    public var failedLoadsBeforePause: Int {
        get { maxAttemptsForErrors }
        set { maxAttemptsForErrors = newValue }
    }
}

extension CacheSettings: CustomStringConvertible {
    /// The differences from the defaults, in one line.
    public var description: String {
        var text = ChangedProperties(of: "CacheSettings")
        add(to: &text)
        return text.text
    }

    func add(to text: inout ChangedProperties) {
        let other = Self()
        text.add("useServerCachePolicy", useServerCachePolicy, default: other.useServerCachePolicy)
        text.add("defaultCacheControlMaxAge", defaultCacheControlMaxAge, default: other.defaultCacheControlMaxAge)
        text.add(
            "defaultCacheControlMaxAgeForErrors", defaultCacheControlMaxAgeForErrors,
            default: other.defaultCacheControlMaxAgeForErrors)
        text.add("maxAttemptsForErrors", maxAttemptsForErrors, default: other.maxAttemptsForErrors)
        text.add("staleIfError", staleIfError, default: other.staleIfError)
        text.add("isSharedCache", isSharedCache, default: other.isSharedCache)
        text.add(
            "deliversStaleBeforeValidation", deliversStaleBeforeValidation,
            default: other.deliversStaleBeforeValidation)
    }
}
