#if Loader
internal import PlatformImage

/// The caching policy applied to the entries that the caches hold for a hop; pure.
struct FreshnessRules: Sendable {
    let settings: CacheSettings

    /// What the policy makes of what was found.
    func decide(_ hop: LoadHop, _ found: FoundEntry, now: WallTime) -> CacheDecision {
        var request = hop.request
        if found.isPurged, request.policy == .default { request.policy = .revalidate }
        let decision = CacheDecision.decide(entry: found.entry, request: request, settings: settings, now: now)
        guard found.isPurged, settings.useServerCachePolicy, case .answer(var stored, let refresh) = decision,
            stored.isFresh,
            let candidate = StoredCandidate(found.entry, request: request, settings: settings, now: now)
        else { return decision }
        // It is stale whatever its origin said, also to those who would not ask about a fresh one (O54).
        stored.isFresh = false
        let demand = CacheDemand(request, settings: settings)
        switch demand.policy {
        case .cacheOnly, .cacheElseLoad:
            if candidate.mayBeStale { return .answer(stored, refresh: refresh) }
            if demand.policy == .cacheOnly { return .notInCache }
        case .default, .revalidate, .reload: break
        }
        let isShown = settings.deliversStaleBeforeValidation && candidate.isSuccess
        return .send(demand.plan(validating: candidate), provisional: isShown ? stored : nil)
    }

    /// The stored response as the request of a hop may use it; nil for none.
    func candidate(_ entry: CacheEntry?, _ hop: LoadHop, now: WallTime) -> StoredCandidate? {
        StoredCandidate(entry, request: hop.request, settings: settings, now: now)
    }

    /// True when the host still takes what is stored: its set of types may have changed.
    func accepts(_ found: FoundEntry, _ hop: LoadHop) -> Bool {
        guard let fields = found.entry?.response?.fields else { return false }
        let gate = TypeGate(hop.load.acceptedContentTypes)
        if let picture = found.picture { return gate.accepts(picture, with: fields) }
        return gate.refusal(fields, start: found.content ?? []) == nil
    }

    /// True when a remembered failure of the hop's address answers in place of the request.
    func consultsFailures(_ hop: LoadHop, _ plan: RequestPlan) -> Bool {
        !plan.isPassThrough && !CacheDemand(hop.request, settings: settings).bypassesErrors
    }

    /// A stored error that is still fresh by its own account.
    func rememberedError(_ stored: StoredAnswer, _ found: FoundEntry, _ load: Load, now: WallTime) -> LoadError {
        let remaining = found.entry?.response.flatMap { response in
            Freshness(of: response, control: CacheControl(response.fields), settings: settings, now: now).remaining
        }
        return .remembered(
            LoadError(.status(stored.status), of: load).about(FailedResponse(stored, of: found)),
            until: now.adding(milliseconds: remaining ?? 0))
    }

    /// True when a load looked into the caches and nothing there is of use to it.
    func isMiss(_ hop: LoadHop, _ found: FoundEntry, now: WallTime) -> Bool {
        hop.load.policy != .reload && !hop.load.layers.isDisjoint(with: [.readsMemory, .readsDisk])
            && candidate(found.entry, hop, now: now) == nil
            && !CacheDemand(hop.request, settings: settings).isPassThrough
    }
}
#endif
