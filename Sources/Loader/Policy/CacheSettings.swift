#if Loader
internal import PlatformImage

/// How a load treats what is stored (HTTP-CACHE 5).
public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
    /// A fresh entry answers, a stale one is validated first.
    case `default`
    /// Validates also a fresh entry, unless the server declared it `immutable` (RFC 8246).
    case revalidate
    /// Asks without conditions and stores the result.
    case reload
    /// Any entry answers, also a stale one, unless it is `must-revalidate` or `no-cache`.
    case cacheElseLoad
    /// As ``cacheElseLoad``, but no request is sent: without a usable entry the load fails.
    case cacheOnly
}

/// When a stale entry stands in for a failed validation (RFC 5861 §4); never for `must-revalidate` or `no-cache`.
public enum StaleIfError: Hashable, Sendable {
    /// A failed validation is a failed load.
    case never
    /// Within the seconds of the stored response's `stale-if-error`.
    case serverDirective
    /// Within this time after the entry became stale, or within the server's directive, if that is longer.
    case upTo(Duration)
}

/// What the host decides about caching; durations below 0 act as 0.
public struct CacheSettings: Hashable, Sendable {
    /// False makes every stored success fresh for ever and ignores what the server says about caching.
    public var useServerCachePolicy = true
    /// Freshness of a response with neither Cache-Control nor Expires, counted anew from each 304; 0 validates always.
    public var defaultCacheControlMaxAge: Duration = .zero
    /// Silence after ``maxAttemptsForErrors`` errors in a row that say nothing of their own freshness; 0 for none.
    public var defaultCacheControlMaxAgeForErrors: Duration = .zero
    /// Loads in a row that must fail before the silence begins; less than 1 acts as 1.
    public var maxAttemptsForErrors = 3
    /// When a stale entry answers instead of an error.
    public var staleIfError = StaleIfError.never
    /// True for a cache whose answers go to more than one user (RFC 9111 §3, §5.2.2).
    ///
    /// It keeps nothing that is `private`, comes with cookies or was asked for with `Authorization`; `s-maxage` wins
    /// over `max-age` and `Expires`, and like `proxy-revalidate` it forbids stale answers.
    public var isSharedCache = false
    /// Whether an entry is shown, as not fresh, before the request that validates it has been answered.
    public var deliversStaleBeforeValidation = true

    /// The defaults.
    public init() {}
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
#endif
