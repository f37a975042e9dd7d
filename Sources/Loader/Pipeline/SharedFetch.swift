#if Loader
internal import PlatformImage

/// One fetch a key: loads that want the same of the origin wait for the same request.
struct SharedFetch: Sendable {
    /// What a fetch does; gets the hop with a meter of its own.
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

    /// A definitive failure of before that answers in place of the request; nil for none (O83).
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
#endif
