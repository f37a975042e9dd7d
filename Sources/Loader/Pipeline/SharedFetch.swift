#if Loader
internal import PlatformImage

/// Shares one fetch among all loads with the same key.
struct SharedFetch: Sendable {
    /// The work of a fetch. Its ``LoadHop`` has a new ``LoadMeter``, which collects the cost of this fetch separately
    /// from the costs of the loads that share it.
    typealias Work = @Sendable (LoadHop, Fetches.ProgressReporter) async -> FetchResult

    let fetches: Fetches
    let failures: NegativeCache
    let negativeCacheMaxAge: Duration?
    /// Number of the configuration; fetches of different configurations are not shared.
    let configuration: UInt64
    let clock: @Sendable () -> WallTime

    /// Joins the fetch for a load, or starts it.
    ///
    /// - Parameters:
    ///   - isExclusive: True shares the fetch only with loads of the same decoding variant.
    ///   - wantsProgress: False when the load reports no events.
    func join(
        _ hop: LoadHop, _ plan: RequestPlan, isRefresh: Bool, isExclusive: Bool, wantsProgress: Bool,
        work: @escaping Work
    ) -> Fetches.Waiter {
        let key = FetchKey(
            hop, variant: isExclusive ? hop.load.decoding?.variant : nil,
            isUnconditionalRetry: plan.isUnconditionalRetry,
            configuration: configuration)
        return fetches.join(
            key, priority: hop.load.priority.priority, isRetained: hop.load.isRetained || isRefresh,
            wantsProgress: wantsProgress
        ) { progress in
            let hop = hop.metered()
            let result = updatingNegativeCache(hop, await work(hop, progress))
            return MeteredFetchResult(result: result, cost: hop.load.meter.cost)
        }
    }

    /// Revalidates a stored response in the background (RFC 5861 §3).
    func refresh(_ hop: LoadHop, work: @escaping Work) {
        fetches.start(FetchKey(hop, variant: nil, isUnconditionalRetry: false, configuration: configuration)) {
            progress in
            let hop = hop.metered()
            let result = await work(hop, progress)
            return MeteredFetchResult(result: result, cost: hop.load.meter.cost)
        }
    }

    /// An earlier definitive failure, returned instead of sending the request; nil for none (O83).
    func rememberedFailure(_ hop: LoadHop) -> LoadError? {
        failures.failure(for: hop.key, maxAge: negativeCacheMaxAge, now: clock(), acceptance: hop.load.acceptance)
    }

    /// Caches a definitive failure; after a success, removes the cached failure of the key (O83).
    private func updatingNegativeCache(_ hop: LoadHop, _ result: FetchResult) -> FetchResult {
        switch result {
        case .success: failures.remove(hop.key)
        case .failure(let failure) where negativeCacheMaxAge != nil:
            failures.remember(failure.error.withoutBody, for: hop.key, now: clock(), acceptance: hop.load.acceptance)
        case .failure: break
        }
        return result
    }
}

/// Key of a shared fetch: loads with equal keys send the same request and store its response in the same way.
struct FetchKey: Hashable, Sendable {
    let key: CacheKey
    let url: String
    let fields: HeaderFields
    /// True for a reload, which shares its unconditional request only with other reloads.
    let isReload: Bool
    /// True for a forced validation, which does not share fetches that may use the stored response without a request.
    let isRevalidation: Bool
    let layers: CacheLayers
    /// Accepted content types; nil accepts anything. Loads that accept different types never share a fetch.
    let acceptedContentTypes: Set<ContentType>?
    let configuration: UInt64
    /// The only decoding variant that may share the fetch; nil for all.
    let variant: String?
    let isUnconditionalRetry: Bool
    let redirect: RedirectMode

    /// Hashes the cache key alone: the other properties are nearly always equal for one resource, and cost more to hash
    /// than to compare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FetchKey {
    /// The key of the fetch for a request.
    ///
    /// - Parameters:
    ///   - variant: The only decoding variant that may share the fetch; nil for all.
    ///   - configuration: Number of the configuration.
    init(_ hop: LoadHop, variant: String?, isUnconditionalRetry: Bool, configuration: UInt64) {
        self.init(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: hop.request.policy == .reload,
            isRevalidation: hop.request.policy == .revalidate, layers: hop.load.fetchLayers,
            acceptedContentTypes: hop.load.acceptedContentTypes, configuration: configuration, variant: variant,
            isUnconditionalRetry: isUnconditionalRetry, redirect: hop.load.redirect)
    }
}

/// The result of a fetch and its costs, shared by all its waiters.
struct MeteredFetchResult: Sendable {
    let result: FetchResult
    let cost: LoadCost
}

/// The running fetches by their keys.
typealias Fetches = InFlightRequests<FetchKey, MeteredFetchResult>
#endif
