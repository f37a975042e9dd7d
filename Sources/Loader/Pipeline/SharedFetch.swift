internal import PlatformImage

/// Shares one fetch among all loads with the same key.
struct SharedFetch: Sendable {
    /// The work of a fetch. Its ``LoadHop`` has a new ``LoadMeter``, which collects the cost of this fetch separately
    /// from the costs of the loads that share it.
    typealias Work = @Sendable (LoadHop, @escaping WaitingDecodings, Fetches.ProgressReporter) async -> FetchResult
    /// Returns one decoding of each variant that waits for the fetch now, in the order in which the loads joined, so
    /// that one decode can make the thumbnails of all of them.
    typealias WaitingDecodings = @Sendable () -> [Load.Decoding]
    typealias Decodings = WaiterValues<FetchKey, Load.Decoding>

    let fetches: Fetches
    let waiting: Decodings
    let failures: NegativeCache
    let negativeCacheMaxAge: Duration?
    /// Number of the configuration; fetches of different configurations are not shared.
    let configuration: UInt64
    let cache: FetchKey.Cache
    /// The content types that image loads accept.
    let acceptedContentTypes: Set<ContentType>
    let clock: @Sendable () -> WallTime

    /// Joins the fetch for a load, or starts it.
    ///
    /// - Parameters:
    ///   - isExclusive: True shares the fetch only with loads of the same decoding variant.
    ///   - mayJoinPeer: True when an image load may join a running data load of the same response, or the reverse.
    ///   - wantsProgress: False when the load reports no events.
    func join(
        _ hop: LoadHop, _ plan: RequestPlan, isRefresh: Bool, isExclusive: Bool, mayJoinPeer: Bool, wantsProgress: Bool,
        work: @escaping Work
    ) -> Waiter {
        let key = FetchKey(
            hop, variant: isExclusive ? hop.load.checkedVariant : nil,
            isUnconditionalRetry: plan.isUnconditionalRetry, configuration: configuration, cache: cache)
        // Added before joining: when the body arrives, the decodings of all loads that wait for it are known.
        let number = hop.load.decoding.map { waiting.add($0, to: key) }
        let waiter = fetches.join(
            key, orRunning: mayJoinPeer ? key.peer(acceptingImages: acceptedContentTypes) : nil,
            priority: hop.load.priority.priority, isRetained: hop.load.isRetained || isRefresh,
            wantsProgress: wantsProgress
        ) { progress in
            let hop = hop.metered()
            let result = updatingNegativeCache(hop, await work(hop, { decodings(of: key) }, progress))
            return MeteredFetchResult(result: result, cost: hop.load.meter.cost)
        }
        let isPeer = waiter.key.cache != cache
        // The fetch of the other cache does not read the decodings, and another fetch with the key of this load must
        // not decode for a load that does not wait for it.
        if isPeer, let number { waiting.remove(number, from: key) }
        return Waiter(fetch: waiter, isPeer: isPeer, waiting: waiting, key: key, number: isPeer ? nil : number)
    }

    /// One load's membership in a fetch.
    struct Waiter {
        let fetch: Fetches.Waiter
        /// True when the fetch was started by a load of the other kind.
        let isPeer: Bool
        fileprivate let waiting: Decodings
        fileprivate let key: FetchKey
        fileprivate let number: UInt64?

        /// Removes the decoding of the load from those that wait for the body.
        func end() {
            if let number { waiting.remove(number, from: key) }
        }
    }

    /// True when the result of a fetch for the other cache is also the result for this load. An image load that is
    /// rejected by its content type, or a data load of a body that is no image, fetches the response itself.
    func isUsable(_ result: FetchResult, _ hop: LoadHop) -> Bool {
        switch result {
        case .success(let fetched):
            return ContentTypeFilter(hop.load.acceptedContentTypes).rejectedType(
                fetched.fields, prefix: fetched.body ?? []) == nil || !Storability.isSuccess(fetched.status)
        case .failure(let failure):
            return ![
                .undecodable, .unsupportedFormat, .pixelLimit, .unacceptableContentType, .unexpectedStatus, .processing,
                .cancelled,
            ].contains(failure.error.code)
        }
    }

    /// Revalidates a stored response in the background (RFC 5861 §3).
    func refresh(_ hop: LoadHop, work: @escaping Work) {
        let key = FetchKey(hop, variant: nil, isUnconditionalRetry: false, configuration: configuration, cache: cache)
        fetches.start(key) { progress in
            let hop = hop.metered()
            let result = await work(hop, { decodings(of: key) }, progress)
            return MeteredFetchResult(result: result, cost: hop.load.meter.cost)
        }
    }

    private func decodings(of key: FetchKey) -> [Load.Decoding] {
        var names: Set<String> = []
        return waiting.values(of: key).filter { names.insert($0.variant).inserted }
    }

    /// An earlier definitive failure, returned instead of sending the request; nil for none (O83).
    func rememberedFailure(_ hop: LoadHop) -> LoadError? {
        failures.failure(for: hop.key, maxAge: negativeCacheMaxAge, now: clock(), acceptance: hop.load.acceptance)
    }

    /// Caches a definitive failure; after a success, removes the cached failure of the key (O83).
    private func updatingNegativeCache(_ hop: LoadHop, _ result: FetchResult) -> FetchResult {
        switch result {
        case .success: failures.remove(hop.key)
        case .failure(let failure) where negativeCacheMaxAge != nil && !failure.mayBeRetried(by: hop.load):
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
    let cache: Cache

    /// The cache that stores the response of a fetch.
    enum Cache: Hashable, Sendable {
        case images, data
    }

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
    init(_ hop: LoadHop, variant: String?, isUnconditionalRetry: Bool, configuration: UInt64, cache: Cache) {
        self.init(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: hop.request.policy == .reload,
            isRevalidation: hop.request.policy == .revalidate, layers: hop.load.fetchLayers,
            acceptedContentTypes: hop.load.acceptedContentTypes, configuration: configuration, variant: variant,
            isUnconditionalRetry: isUnconditionalRetry, redirect: hop.load.redirect, cache: cache)
    }

    /// The key of a fetch of the same response for the other cache.
    ///
    /// - Parameter types: The content types that image loads accept. Data loads accept any type.
    func peer(acceptingImages types: Set<ContentType>) -> Self {
        Self(
            key: key, url: url, fields: fields, isReload: isReload, isRevalidation: isRevalidation, layers: layers,
            acceptedContentTypes: cache == .images ? nil : types, configuration: configuration, variant: variant,
            isUnconditionalRetry: isUnconditionalRetry, redirect: redirect, cache: cache == .images ? .data : .images)
    }
}

/// The result of a fetch and its costs, shared by all its waiters.
struct MeteredFetchResult: Sendable {
    let result: FetchResult
    let cost: LoadCost
}

/// The running fetches by their keys.
typealias Fetches = InFlightRequests<FetchKey, MeteredFetchResult>
