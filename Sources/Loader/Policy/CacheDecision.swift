/// The action of a load before a request is sent (RFC 9111 §4).
enum CacheDecision: Hashable, Sendable {
    /// The stored response completes the load. With a refresh plan, the entry is also revalidated in the background
    /// (RFC 5861 §3), by at most one request per key.
    case useStored(CachedResponse, refresh: RequestPlan?)
    /// A request is sent to the origin. `provisional` may be shown before; it is never the final result of the load.
    case send(RequestPlan, provisional: CachedResponse?)
    /// The load fails with a stored error. `provisional` may be shown before.
    case fail(RememberedError, provisional: CachedResponse?)
    /// The load must not send a request and nothing usable is stored: it fails as with 504 (RFC 9111 §5.2.1.7).
    case notInCache

    /// Returns the decision for a load.
    ///
    /// - Parameters:
    ///   - entry: The stored entry of the key, of any variant; nil for none. Its response must be nil when the body is
    ///     missing or damaged, so that no validator is sent for an unavailable body. The entry is also required with
    ///     the policy `reload`.
    ///   - request: The request that is about to be sent.
    ///   - settings: The cache settings of the application.
    ///   - now: The current time.
    static func decide(
        entry: CacheEntry?, request: CacheRequest, settings: CacheSettings, now: WallTime
    ) -> CacheDecision {
        let constraints = CacheConstraints(request, settings: settings)
        guard !constraints.isPassThrough else {
            let plan = RequestPlan(isPassThrough: true)
            return constraints.policy == .cacheOnly ? .notInCache : .send(plan, provisional: nil)
        }
        let stored = StoredCandidate(entry, request: request, settings: settings, now: now)
        let remembered =
            constraints.bypassesErrors ? nil : entry?.rememberedError(request: request, settings: settings, now: now)
        let plan = constraints.plan(validating: stored)

        if let stored, let usable = usableResponse(in: stored, under: constraints) {
            // Until a stored error of the origin expires, the response is not refreshed in the background.
            let isRefreshed = usable.needsRefresh && remembered == nil
            return .useStored(usable.response, refresh: isRefreshed ? plan : nil)
        }
        guard constraints.policy != .cacheOnly else { return .notInCache }

        let deliversProvisional =
            constraints.policy != .reload && settings.deliversStaleBeforeValidation && stored?.isSuccess == true
        let provisional = deliversProvisional ? stored?.cachedResponse(isFresh: false) : nil
        guard let remembered else { return .send(plan, provisional: provisional) }
        if let stored, stored.mayReplaceError(status: remembered.status, constraints, settings) {
            return .useStored(stored.cachedResponse(isFresh: false, staleReason: .remembered(remembered)), refresh: nil)
        }
        return .fail(remembered, provisional: provisional)
    }

    /// Returns the stored response that the load may use; nil for none.
    private static func usableResponse(
        in stored: StoredCandidate, under constraints: CacheConstraints
    ) -> (response: CachedResponse, needsRefresh: Bool)? {
        switch constraints.policy {
        case .reload: return nil
        case .revalidate where !stored.suppressesRevalidation: return nil
        case .default, .revalidate, .cacheElseLoad, .cacheOnly: break
        }
        if constraints.accepts(stored) { return (stored.cachedResponse(isFresh: true), false) }
        guard stored.mayBeStale, constraints.policy != .revalidate else { return nil }
        let allowsStale = constraints.policy == .cacheElseLoad || constraints.policy == .cacheOnly
        if allowsStale, !constraints.validates, constraints.acceptsAge(of: stored) {
            return (stored.cachedResponse(isFresh: false), false)
        }
        if stored.isInRefreshWindow, constraints.allowsBackgroundRefresh {
            return (stored.cachedResponse(isFresh: false), true)
        }
        return constraints.acceptsStale(stored) ? (stored.cachedResponse(isFresh: false), false) : nil
    }
}

extension StoredCandidate {
    /// Returns true when this response is used instead of an error (rule 3 of "Stale use" in Docs/http-cache.md 4).
    ///
    /// - Parameter status: The status of the error; nil for a failure without a response.
    func mayReplaceError(status: Int?, _ constraints: CacheConstraints, _ settings: CacheSettings) -> Bool {
        let isServerError = status.map { [500, 502, 503, 504].contains($0) } ?? true
        return isServerError && constraints.policy != .reload && !constraints.validates
            && constraints.acceptsAge(of: self)
            && isAllowedInsteadOfError(settings)
    }
}
