internal import PlatformImage

/// Decides how the cache entries found for one request of a redirect chain are used, without I/O or side effects.
struct FreshnessRules: Sendable {
    let settings: CacheSettings

    /// The caching decision for a request and the entries found for it.
    func decide(_ hop: LoadHop, _ found: LookupResult, now: WallTime) -> CacheDecision {
        var request = hop.request
        if found.isPurged, request.policy == .default { request.policy = .revalidate }
        let decision = CacheDecision.decide(entry: found.entry, request: request, settings: settings, now: now)
        guard found.isPurged, settings.useServerCachePolicy, case .useStored(var stored, let refresh) = decision,
            stored.isFresh,
            let candidate = StoredCandidate(found.entry, request: request, settings: settings, now: now)
        else { return decision }
        // After a purge the response is stale regardless of its directives, also for policies that skip validation
        // (O54).
        stored.isFresh = false
        let constraints = CacheConstraints(request, settings: settings)
        switch constraints.policy {
        case .cacheOnly, .cacheElseLoad:
            if candidate.mayBeStale { return .useStored(stored, refresh: refresh) }
            if constraints.policy == .cacheOnly { return .notInCache }
        case .default, .revalidate, .reload: break
        }
        let deliversProvisional = settings.deliversStaleBeforeValidation && candidate.isSuccess
        return .send(constraints.plan(validating: candidate), provisional: deliversProvisional ? stored : nil)
    }

    /// The stored response that a request may use; nil for none.
    func candidate(_ entry: CacheEntry?, _ hop: LoadHop, now: WallTime) -> StoredCandidate? {
        StoredCandidate(entry, request: hop.request, settings: settings, now: now)
    }

    /// True when the content type of the stored response is still accepted; the accepted types may have changed.
    func accepts(_ found: LookupResult, _ hop: LoadHop) -> Bool {
        guard let fields = found.entry?.response?.fields else { return false }
        let filter = ContentTypeFilter(hop.load.acceptedContentTypes)
        if let cachedImage = found.cachedImage { return filter.accepts(cachedImage, with: fields) }
        if let file = found.variantFile { return filter.accepts(file.header, with: fields) }
        return filter.rejectedType(fields, prefix: found.content ?? []) == nil
    }

    /// True when a cached failure may be returned instead of sending the request.
    func usesNegativeCache(_ hop: LoadHop, _ plan: RequestPlan) -> Bool {
        !plan.isPassThrough && !CacheConstraints(hop.request, settings: settings).bypassesErrors
    }

    /// The error for a stored error response that is fresh by its explicit directives.
    func rememberedError(_ stored: CachedResponse, _ found: LookupResult, _ load: Load, now: WallTime) -> LoadError {
        let remaining = found.entry?.response.flatMap { response in
            Freshness(of: response, control: CacheControl(response.fields), settings: settings, now: now).remaining
        }
        return .remembered(
            LoadError(.status(stored.status), of: load).withResponse(FailedResponse(stored, of: found)),
            until: now.adding(milliseconds: remaining ?? 0))
    }

    /// True when a load read the caches and found no usable response, fresh or stale.
    func isMiss(_ hop: LoadHop, _ found: LookupResult, now: WallTime) -> Bool {
        hop.load.policy != .reload && !hop.load.layers.isDisjoint(with: [.readsMemory, .readsDisk])
            && candidate(found.entry, hop, now: now) == nil
            && !CacheConstraints(hop.request, settings: settings).isPassThrough
    }
}
