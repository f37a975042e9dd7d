#if Loader
/// The action of a load before a request is sent (RFC 9111 §4).
enum CacheDecision: Hashable, Sendable {
    /// The stored response completes the load. With a refresh plan, the entry is also revalidated in the background
    /// (RFC 5861 §3), by at most one request per key.
    case answer(StoredAnswer, refresh: RequestPlan?)
    /// A request is sent to the origin. `provisional` may be shown before; it is never the final result of the load.
    case send(RequestPlan, provisional: StoredAnswer?)
    /// The load fails with a remembered error. `provisional` may be shown before.
    case fail(RememberedError, provisional: StoredAnswer?)
    /// The load must not send a request and nothing usable is stored: it fails as with 504 (RFC 9111 §5.2.1.7).
    case notInCache

    /// Decides how a load is answered.
    ///
    /// - Parameters:
    ///   - entry: The stored entry of the key, of any variant; nil for none. Its response must be nil when the body is
    ///     missing or damaged, so that no validator is sent for an unavailable body. Required under `reload`, too.
    ///   - request: The request that is about to be sent.
    ///   - settings: The host's cache settings.
    ///   - now: The current time.
    static func decide(
        entry: CacheEntry?, request: CacheRequest, settings: CacheSettings, now: WallTime
    ) -> CacheDecision {
        let demand = CacheDemand(request, settings: settings)
        guard !demand.isPassThrough else {
            let plan = RequestPlan(isPassThrough: true)
            return demand.policy == .cacheOnly ? .notInCache : .send(plan, provisional: nil)
        }
        let stored = StoredCandidate(entry, request: request, settings: settings, now: now)
        let remembered =
            demand.bypassesErrors ? nil : entry?.rememberedError(request: request, settings: settings, now: now)
        let plan = demand.plan(validating: stored)

        if let stored, let answer = answer(from: stored, to: demand) {
            // While an error of the origin is remembered, no background request is sent either.
            let isRefreshed = answer.needsRefresh && remembered == nil
            return .answer(answer.shown, refresh: isRefreshed ? plan : nil)
        }
        guard demand.policy != .cacheOnly else { return .notInCache }

        let isShown = demand.policy != .reload && settings.deliversStaleBeforeValidation && stored?.isSuccess == true
        let provisional = isShown ? stored?.answer(isFresh: false) : nil
        guard let remembered else { return .send(plan, provisional: provisional) }
        if let stored, stored.mayReplaceError(status: remembered.status, demand, settings) {
            return .answer(stored.answer(isFresh: false, staleReason: .remembered(remembered)), refresh: nil)
        }
        return .fail(remembered, provisional: provisional)
    }

    /// Returns the stored response that answers the load; nil when none may.
    private static func answer(
        from stored: StoredCandidate, to demand: CacheDemand
    ) -> (shown: StoredAnswer, needsRefresh: Bool)? {
        switch demand.policy {
        case .reload: return nil
        case .revalidate where !stored.suppressesRevalidation: return nil
        case .default, .revalidate, .cacheElseLoad, .cacheOnly: break
        }
        if demand.accepts(stored) { return (stored.answer(isFresh: true), false) }
        guard stored.mayBeStale, demand.policy != .revalidate else { return nil }
        let allowsStale = demand.policy == .cacheElseLoad || demand.policy == .cacheOnly
        if allowsStale, !demand.validates, demand.acceptsAge(of: stored) {
            return (stored.answer(isFresh: false), false)
        }
        if stored.isInRefreshWindow, demand.allowsBackgroundRefresh { return (stored.answer(isFresh: false), true) }
        return demand.acceptsStale(stored) ? (stored.answer(isFresh: false), false) : nil
    }
}

extension StoredCandidate {
    /// Returns true when this response is used instead of an error (Docs/http-cache.md 4, stale use 3).
    ///
    /// - Parameter status: The status of the error; nil for a failure without a response.
    func mayReplaceError(status: Int?, _ demand: CacheDemand, _ settings: CacheSettings) -> Bool {
        let isServerError = status.map { [500, 502, 503, 504].contains($0) } ?? true
        return isServerError && demand.policy != .reload && !demand.validates && demand.acceptsAge(of: self)
            && isAllowedInsteadOfError(settings)
    }
}
#endif
