/// A stored response that a request may use: its variant matches and storing it was permitted.
struct StoredCandidate: Hashable, Sendable {
    let response: StoredResponse
    let control: CacheControl
    let freshness: Freshness
    /// True when the server's caching directives are ignored.
    private let ignoresServer: Bool
    private let isShared: Bool

    /// Evaluates the entry's response for `request` at `now`; nil when there is none that may be used.
    init?(_ entry: CacheEntry?, request: CacheRequest, settings: CacheSettings, now: WallTime) {
        guard let response = entry?.response, Vary.matches(response, request.fields) else { return nil }
        control = CacheControl(response.fields)
        ignoresServer = !settings.useServerCachePolicy
        isShared = settings.isSharedCache
        // The application may have changed `useServerCachePolicy` since the response was stored. With the policy, a
        // response that the server's directives forbid to store is not used; without it, a stored error is not used.
        let isAllowed =
            ignoresServer
            ? !Storability.isError(response.status)
            : Storability.allows(
                status: response.status, response.fields, control, isShared: settings.isSharedCache)
        guard isAllowed else { return nil }
        self.response = response
        freshness = Freshness(of: response, control: control, settings: settings, now: now)
    }

    /// True for a success status, false for a redirect or an error.
    var isSuccess: Bool { Storability.isSuccess(response.status) }

    /// True when stale use is permitted: not for errors, and not when the server's directives forbid it (RFC 9111
    /// §4.2.4), unless these directives are ignored.
    var mayBeStale: Bool {
        guard !Storability.isError(response.status) else { return false }
        return ignoresServer || !control.forbidsStale && !(isShared && control.forbidsSharedStale)
    }

    /// True when ``CachePolicy/revalidate`` need not send a request for a fresh response (RFC 8246 §2).
    var suppressesRevalidation: Bool { ignoresServer || control.contains("immutable") }

    /// True when the response has `stale-while-revalidate`, may be used stale, and is fresh or has been stale for at
    /// most the seconds of that directive.
    var isInRefreshWindow: Bool {
        guard mayBeStale, let window = control.staleWhileRevalidate else { return false }
        return freshness.isStale(forAtMost: window &* 1000)
    }

    /// Returns true when the response may be used instead of an error at this time, by ``CacheSettings/staleIfError``
    /// and by the directives of the response.
    func isAllowedInsteadOfError(_ settings: CacheSettings) -> Bool {
        guard isSuccess, mayBeStale else { return false }
        let directive = (control.staleIfError ?? 0) &* 1000
        switch settings.staleIfError {
        case .never: return false
        case .serverDirective: return control.staleIfError != nil && freshness.isStale(forAtMost: directive)
        case .upTo(let limit): return freshness.isStale(forAtMost: max(limit.milliseconds, directive))
        }
    }

    /// Returns the response for the caller.
    func cachedResponse(isFresh: Bool, staleReason failure: StaleReason? = nil) -> CachedResponse {
        CachedResponse(
            status: response.status, fields: response.fields(age: freshness.age), isFresh: isFresh, staleReason: failure
        )
    }
}
