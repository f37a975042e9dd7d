#if Loader
internal import PlatformImage

/// One fetch for each key: loads of the same request wait for the same download.
struct SharedFetch: Sendable {
    /// The work of a fetch; its hop has a meter of its own.
    typealias Work = @Sendable (LoadHop, Fetches.Teller) async -> FetchEnd

    let fetches: Fetches
    let failures: NegativeCache
    let negativeCacheMaxAge: Duration?
    /// Tells fetches of one configuration from those of another.
    let configuration: UInt64
    let clock: @Sendable () -> WallTime

    /// Joins the fetch that a load wants, or begins it.
    ///
    /// - Parameters:
    ///   - isOwn: Shares it only with loads that decode in the same way.
    ///   - hearsSteps: False when the load tells nobody of its steps.
    func join(
        _ hop: LoadHop, _ plan: RequestPlan, isRefresh: Bool, isOwn: Bool, hearsSteps: Bool, work: @escaping Work
    ) -> Fetches.Waiter {
        let key = FetchKey(
            hop, variant: isOwn ? hop.load.decoding?.variant : nil, isRefetch: plan.isRefetch,
            configuration: configuration)
        return fetches.join(
            key, priority: hop.load.priority.priority, isKept: hop.load.isKept || isRefresh, hearsSteps: hearsSteps
        ) { tell in
            let hop = hop.metered()
            let end = remembering(hop, await work(hop, tell))
            return MeteredFetch(end: end, cost: hop.load.meter.cost)
        }
    }

    /// Renews what is stored while nobody waits (RFC 5861 §3).
    func refresh(_ hop: LoadHop, work: @escaping Work) {
        fetches.start(FetchKey(hop, variant: nil, isRefetch: false, configuration: configuration)) { tell in
            let hop = hop.metered()
            let end = await work(hop, tell)
            return MeteredFetch(end: end, cost: hop.load.meter.cost)
        }
    }

    /// An earlier definitive failure that is returned instead of sending the request; nil for none (O83).
    func rememberedFailure(_ hop: LoadHop) -> LoadError? {
        failures.failure(for: hop.key, maxAge: negativeCacheMaxAge, now: clock(), by: hop.load.taking)
    }

    /// Remembers a definitive failure, and forgets it after a success (O83).
    private func remembering(_ hop: LoadHop, _ end: FetchEnd) -> FetchEnd {
        switch end {
        case .success: failures.forget(hop.key)
        case .failure(let failure) where negativeCacheMaxAge != nil:
            failures.remember(failure.error.withoutBody, for: hop.key, now: clock(), by: hop.load.taking)
        case .failure: break
        }
        return end
    }
}

/// Loads with equal keys share one fetch: the same request, to be stored in the same way.
struct FetchKey: Hashable, Sendable {
    let key: CacheKey
    let url: String
    let fields: HeaderFields
    /// A reload joins nothing but what asks without conditions itself.
    let isReload: Bool
    /// One that must ask the origin does not join what may find the stored answer good enough.
    let isRevalidation: Bool
    let layers: CacheLayers
    /// Nil for anything, so a picture and plain bytes are never one fetch.
    let acceptedContentTypes: Set<ContentType>?
    let configuration: UInt64
    /// The decoding that alone may share it; nil for any.
    let variant: String?
    let isRefetch: Bool
    let redirect: RedirectMode

    /// The rest is nearly always the same for one resource, and costs more to hash than to compare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FetchKey {
    /// The key of the fetch that a hop wants.
    ///
    /// - Parameters:
    ///   - variant: As in ``variant``.
    ///   - configuration: Tells fetches of one configuration from those of another.
    init(_ hop: LoadHop, variant: String?, isRefetch: Bool, configuration: UInt64) {
        self.init(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: hop.request.policy == .reload,
            isRevalidation: hop.request.policy == .revalidate, layers: hop.load.fetchLayers,
            acceptedContentTypes: hop.load.acceptedContentTypes, configuration: configuration, variant: variant,
            isRefetch: isRefetch, redirect: hop.load.redirect)
    }
}

/// A fetch's end and what it cost, the same for all who waited.
struct MeteredFetch: Sendable {
    let end: FetchEnd
    let cost: LoadCost
}

/// The fetches under way, by what they share.
typealias Fetches = InFlightRequests<FetchKey, MeteredFetch>
#endif
