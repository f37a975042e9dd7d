#if Loader
internal import PlatformImage

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

/// What a fetch came to, the same for all who waited.
final class Fetched: Sendable {
    enum Kind: Sendable {
        /// The origin sent a body, or a redirect.
        case received
        /// The origin confirmed the stored body.
        case notModified
        /// What is stored answers after all.
        case stored
    }

    let kind: Kind
    let status: Int
    let fields: HeaderFields
    let isFresh: Bool
    /// What the caches hold now; nil when they do not.
    let entry: CacheEntry?
    let revision: DiskCache.Revision?
    /// When the stored body that answers was stored; nil for one that came now.
    let createdAt: WallTime?
    let insteadOf: LoadError?
    /// The content of the body, without its codings.
    let body: [UInt8]?
    /// The body decoded as ``variant`` says; nil when nobody has needed it.
    let content: LoadContent?
    let variant: String?

    init(
        _ kind: Kind, status: Int, fields: HeaderFields, isFresh: Bool, entry: CacheEntry? = nil,
        revision: DiskCache.Revision? = nil, createdAt: WallTime? = nil, insteadOf: LoadError? = nil,
        body: [UInt8]? = nil,
        content: LoadContent? = nil, variant: String? = nil
    ) {
        self.kind = kind
        self.status = status
        self.fields = fields
        self.isFresh = isFresh
        self.entry = entry
        self.revision = revision
        self.createdAt = createdAt
        self.insteadOf = insteadOf
        self.body = body
        self.content = content
        self.variant = variant
    }

    /// True when the body is on disk.
    var isStored: Bool { revision != nil }
}

/// Why a fetch failed.
struct FetchFailure: Error, Sendable {
    let error: LoadError
    /// The decoding that failed, when another one might do better.
    var variant: String?
}

typealias FetchEnd = Result<Fetched, FetchFailure>

extension LoadPipeline {
    /// Joins the fetch that this load wants, or begins it.
    ///
    /// - Parameters:
    ///   - isOwn: Shares it only with loads that decode in the same way.
    ///   - hearsSteps: False when the load tells nobody of its steps.
    func join(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: FoundEntry, isRefresh: Bool, isOwn: Bool,
        hearsSteps: Bool = true
    ) -> Fetches.Waiter {
        let key = key(hop, variant: isOwn ? hop.load.decoding?.variant : nil, isRefetch: plan.isRefetch)
        return shared.fetches.join(
            key, priority: hop.load.priority.priority, isKept: hop.load.isKept || isRefresh, hearsSteps: hearsSteps
        ) { [self] tell in
            let hop = hop.metered()
            let end = remembering(hop, await fetch(hop, plan, found, isRefresh: isRefresh, tell))
            return MeteredFetch(end: end, cost: hop.load.meter.cost)
        }
    }

    /// Remembers a definitive failure, and forgets it after a success (O83).
    private func remembering(_ hop: LoadHop, _ end: FetchEnd) -> FetchEnd {
        switch end {
        case .success: shared.failures.forget(hop.key)
        case .failure(let failure) where configuration.negativeCacheMaxAge != nil:
            shared.failures.remember(failure.error.withoutBody, for: hop.key, now: now, by: hop.load.taking)
        case .failure: break
        }
        return end
    }

    /// Renews what is stored while nobody waits (RFC 5861 §3).
    func refresh(_ hop: LoadHop, plan: RequestPlan, found: FoundEntry) {
        shared.fetches.start(key(hop, variant: nil, isRefetch: false)) { [self] tell in
            let hop = hop.metered()
            let end = await fetch(hop, plan, found, isRefresh: true, tell)
            if case .failure(let failure) = end { noteFailure(failure.error, at: hop.url) }
            return MeteredFetch(end: end, cost: hop.load.meter.cost)
        }
    }

    private func key(_ hop: LoadHop, variant: String?, isRefetch: Bool) -> FetchKey {
        FetchKey(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: hop.request.policy == .reload,
            isRevalidation: hop.request.policy == .revalidate,
            layers: hop.load.fetchLayers, acceptedContentTypes: hop.load.acceptedContentTypes, configuration: number,
            variant: variant, isRefetch: isRefetch, redirect: hop.load.redirect)
    }

    /// One download: from the decision to send until the caches are as the answer wants them.
    private func fetch(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: FoundEntry, isRefresh: Bool, _ tell: Fetches.Teller
    ) async -> FetchEnd {
        var plan = plan
        var found = found
        // Another fetch may have ended between this load's look at the caches and its turn: it looks again, now that no
        // other can begin.
        if !plan.isRefetch, !tell.isFirst(since: found.moments.fetches) {
            found = await find(hop)
            switch decide(hop, found) {
            case .answer(let stored, refresh: let refresh?) where isRefresh && stored.isFresh == false: plan = refresh
            case .answer(let stored, _): return end(stored, found, hop)
            case .send(let next, _): plan = next
            case .fail(let error, _): return .failure(FetchFailure(error: self.error(.remembered(error), hop.load)))
            case .notInCache: break
            }
        }
        let lane = hop.load.priority.priority
        let pass = shared.lanes.pass(lane)
        tell.follow(pass, in: shared.lanes, at: lane)
        // In a box: what has no size has no address, and ThreadSanitizer looks at it all the same (Swift 6.3.1).
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        var attempts = 0
        var partial: PartialBody?
        while true {
            attempts += 1
            let (asked, given, start) = (plan, found, partial)
            let received: Received
            do throws(LoadError) {
                let arrival = ContinuousClock.now
                received = try await shared.lanes.withSlot(pass) { () throws(LoadError) in
                    hop.load.meter.add(\.queue, since: arrival)
                    let received = await exchange(hop, asked, resuming: start, tell)
                    guard received.isMisfit else { return received }
                    var whole = await exchange(hop, asked, tell)
                    whole.isMisfit = true
                    return whole
                }
            } catch {
                return .failure(FetchFailure(error: error))
            }
            if let error = received.error,
                let delay = configuration.retry.delay(
                    afterAttempts: attempts, failedWith: error, maxRetryDelay: configuration.maxRetryDelay,
                    using: &random)
            {
                // What failed without a body of its own leaves the beginning as good as it was.
                if received.isMisfit || received.head?.status == 200 {
                    partial = asked.isPassThrough ? nil : received.partial
                }
                noteRetrying(attempts + 1, after: delay, error, hop)
                tell(.retrying(attempt: attempts + 1, delay: delay, reason: error))
                guard (try? await Task.sleep(for: delay)) != nil else {
                    return .failure(FetchFailure(error: .cancelled(url: Redaction.shown(hop.url))))
                }
                continue
            }
            switch await conclude(received, hop, asked, given) {
            case .end(let end): return end
            case .refetch(let next): (plan, partial) = (next, nil)
            }
        }
    }

    private func end(_ stored: StoredAnswer, _ found: FoundEntry, _ hop: LoadHop) -> FetchEnd {
        if Storability.isError(stored.status) {
            return .failure(FetchFailure(error: remembered(stored, found, hop.load)))
        }
        return .success(self.fetched(.stored, stored, found, hop, entry: found.entry, insteadOf: nil))
    }

    /// A stored error that is still fresh by its own account.
    func remembered(_ stored: StoredAnswer, _ found: FoundEntry, _ load: Load) -> LoadError {
        let remaining = found.entry?.response.flatMap { response in
            Freshness(of: response, control: CacheControl(response.fields), settings: settings, now: now).remaining
        }
        return .remembered(
            error(.status(stored.status), load).about(FailedResponse(stored, of: found)),
            until: now.adding(milliseconds: remaining ?? 0))
    }

    /// What is stored, as a fetch's end.
    func fetched(
        _ kind: Fetched.Kind, _ stored: StoredAnswer, _ found: FoundEntry, _ hop: LoadHop, entry: CacheEntry?,
        insteadOf error: LoadError?
    ) -> Fetched {
        Fetched(
            kind, status: stored.status, fields: stored.fields, isFresh: stored.isFresh, entry: entry,
            revision: found.revision, createdAt: found.entry?.response?.createdAt, insteadOf: error,
            body: found.content, content: found.picture?.content,
            variant: found.picture == nil ? nil : hop.load.decoding?.variant)
    }
}

/// A fetch's end and what it cost, the same for all who waited.
struct MeteredFetch: Sendable {
    let end: FetchEnd
    let cost: LoadCost
}
#endif
