internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// Processes loads from request to result, with the settings of one configuration.
///
/// ``run(_:reportingTo:)`` and ``fetch(_:_:_:isRefresh:_:)`` list the steps in order. Each step is a type of this
/// folder whose dependencies are set when the pipeline is created. Running loads continue with their pipeline; a
/// changed configuration creates a new pipeline with the existing caches.
final class LoadPipeline: Sendable {
    /// State with the lifetime of the loader.
    struct Shared: Sendable {
        let transport: any HTTPTransport
        /// The fetches of both pipelines of a loader.
        let fetches: Fetches
        let decodes = BodyDecoder.Decodes()
        let batches = ThumbnailBatches<DecodeKey>()
        let waiting = SharedFetch.Decodings()
        let variantWrites = VariantFiles.Writes()
        let decodeQueue: DecodeQueue
        /// Caches colour transforms for all loads; the decode options are set for each load.
        let decoder = ImageDecoder()
        let lanes: RequestLanes
        let failures: NegativeCache
        let reporter: LoadReporter
        /// The queue for blocking disk access, so that callers and Swift's thread pool are not blocked.
        let diskQueue = DispatchQueue(label: "ImageLoader.disk", attributes: .concurrent)
        let cache: FetchKey.Cache
    }

    let settings: LoadSettings
    let disk: DiskCache?
    let memory: ImageMemoryCache?
    let partitionKey: PartitionKey
    /// Number of the last configuration that changed the cache settings or the accepted content types.
    let rules: UInt64
    let shared: Shared

    let preparation: RequestPreparation
    let lookup: CacheLookup
    let freshness: FreshnessRules
    private let sharedFetch: SharedFetch
    private let exchange: Exchange
    let decoder: BodyDecoder
    let writer: CacheWriter
    let builder: LoadResultBuilder
    let cachedImages: CachedImageLookup

    /// - Parameter number: Number of the configuration; fetches of different configurations are not shared.
    init(
        _ settings: LoadSettings, number: UInt64, rules: UInt64, disk: DiskCache?, peer: DiskCache?,
        memory: ImageMemoryCache?, partitionKey: PartitionKey, shared: Shared
    ) {
        self.settings = settings
        self.disk = disk
        self.memory = memory
        self.partitionKey = partitionKey
        self.rules = rules
        self.shared = shared
        let clock = settings.clock
        let trustScope = TrustScope(settings.trust)
        preparation = RequestPreparation(
            credentials: settings.credentials, userAgent: settings.userAgent, maxRedirects: settings.maxRedirects,
            partitionKey: partitionKey, trustScope: trustScope)
        let memoryLookup = MemoryLookup(
            memory: memory, disk: disk, isEnabled: settings.cacheImagesInMemory,
            canCompleteLoads: settings.cacheImagesInMemory && settings.credentials.basicAuth == nil
                && trustScope.isDefault,
            retainsEncodedData: settings.retainsEncodedData, settings: settings.cache,
            acceptedContentTypes: settings.acceptedContentTypes, rules: rules, clock: clock)
        let variants = VariantFiles(
            disk: settings.retainsEncodedData ? nil : disk, peer: peer, queue: shared.diskQueue,
            decodeQueue: shared.decodeQueue, writes: shared.variantWrites)
        freshness = FreshnessRules(settings: settings.cache)
        lookup = CacheLookup(
            memory: memoryLookup,
            disk: DiskLookup(
                disk: disk, peer: peer, queue: shared.diskQueue,
                maxResponseBytes: settings.maxResponseBytes, useServerCachePolicy: settings.cache.useServerCachePolicy),
            variants: variants, freshness: freshness, fetches: shared.fetches, clock: clock)
        sharedFetch = SharedFetch(
            fetches: shared.fetches, waiting: shared.waiting, failures: shared.failures,
            negativeCacheMaxAge: settings.negativeCacheMaxAge,
            configuration: number, cache: shared.cache, acceptedContentTypes: settings.acceptedContentTypes,
            clock: clock)
        exchange = Exchange(
            transport: shared.transport, trust: settings.trust, timeouts: settings.timeouts,
            modifier: settings.requestModifier, maxResponseBytes: settings.maxResponseBytes,
            reportsPolicyWarnings: settings.cache.useServerCachePolicy, reporter: shared.reporter, clock: clock)
        decoder = BodyDecoder(
            decodes: shared.decodes, batches: shared.batches, queue: shared.decodeQueue,
            counters: shared.reporter.counters,
            retainsEncodedData: settings.retainsEncodedData)
        writer = CacheWriter(
            memory: memory, isMemoryEnabled: settings.cacheImagesInMemory, disk: disk, variants: variants,
            queue: shared.diskQueue, clock: clock)
        builder = LoadResultBuilder(decoder: decoder, writer: writer, lookup: lookup, freshness: freshness)
        cachedImages = CachedImageLookup(
            preparation: preparation, lookup: lookup, freshness: freshness, decoder: decoder, writer: writer,
            clock: clock)
    }

    var now: WallTime { settings.clock() }

    /// Runs one load and reports its events to `channel`.
    func run(_ load: Load, reportingTo channel: LoadChannel<LoadEvent>? = nil) async throws(LoadError) -> LoadResult {
        let begin = ContinuousClock.now
        var delivery = Delivery(of: load, to: channel)
        do throws(LoadError) {
            // Each iteration processes one request of the redirect chain.
            var chain = try preparation.checkedChain(for: load)
            while true {
                let hop = try preparation.checkedHop(of: chain, load)
                try load.throwIfCancelled()

                // Look up memory, then the disk.
                let lookupBegin = ContinuousClock.now
                var found = await lookup.find(hop)
                delivery.timings.lookup += .now - lookupBegin

                var result: HopResult?
                while result == nil {
                    try load.throwIfCancelled()
                    // Decide freshness; repeat without the stored response when it does not decode.
                    switch freshness.decide(hop, found, now: now) {
                    case .useStored(let stored, let refresh):
                        result = try await cachedResult(stored, refreshedBy: refresh, &found, hop, &delivery)
                    case .send(let plan, let provisional):
                        if freshness.isMiss(hop, found, now: now) { shared.reporter.reportMiss(hop) }
                        if delivery.deliversProvisional, let provisional {
                            guard try await deliver(provisional, &found, hop, &delivery) != nil else { continue }
                        }
                        if freshness.usesNegativeCache(hop, plan), let failure = sharedFetch.rememberedFailure(hop) {
                            throw failure
                        }
                        // Share one fetch per cache key: `fetch` below sends the request, and checks, decodes and
                        // stores the response.
                        result = try await fetchedResult(hop, plan, found, isRefresh: false, &delivery)
                    case .fail(let error, let provisional):
                        if delivery.deliversProvisional, let provisional {
                            _ = try await deliver(provisional, &found, hop, &delivery)
                        }
                        throw LoadError(.remembered(error), of: load)
                    case .notInCache:
                        if freshness.isMiss(hop, found, now: now) { shared.reporter.reportMiss(hop) }
                        throw load.error(.notInCache, "the cache contains no usable response")
                    }
                }

                // Return the result, or follow the redirect.
                switch result {
                case .result(let loaded)?:
                    let loaded = delivery.withTimings(loaded)
                    shared.reporter.reportEnd(load, loaded, since: begin)
                    return loaded
                case .redirect(let head)?: try preparation.follow(head, &chain, load)
                case nil: break
                }
            }
        } catch {
            shared.reporter.reportEnd(load, error, delivery.timings, since: begin)
            throw error
        }
    }

    /// The work of one fetch, for all loads that wait for it.
    private func fetch(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: LookupResult, isRefresh: Bool,
        waiting: SharedFetch.WaitingDecodings,
        _ progress: Fetches.ProgressReporter
    ) async -> FetchResult {
        var (plan, found) = (plan, found)
        // Another fetch of the key may have ended between the lookup of this load and the start of this fetch. Look up
        // again: while this fetch runs, no other fetch of the key can start.
        if !plan.isUnconditionalRetry, progress.hasJobEnded(since: found.generations.fetches) {
            found = await lookup.find(hop)
            switch freshness.decide(hop, found, now: now) {
            case .useStored(let stored, refresh: let refresh?) where isRefresh && stored.isFresh == false:
                plan = refresh
            case .useStored(let stored, _):
                guard Storability.isError(stored.status) else {
                    return .success(FetchedResponse(.stored, stored, found, hop, entry: found.entry))
                }
                let error = freshness.rememberedError(stored, found, hop.load, now: now)
                return .failure(FetchFailure(error: error))
            case .send(let next, _): plan = next
            case .fail(let error, _):
                return .failure(FetchFailure(error: LoadError(.remembered(error), of: hop.load)))
            case .notInCache: break
            }
        }
        var download = Download(
            hop, by: exchange, in: shared.lanes, retry: settings.retry, maxRetryDelay: settings.maxRetryDelay,
            reporter: shared.reporter, progress)
        while true {
            // Send the request, then read and check the response.
            let received: ReceivedResponse
            do throws(LoadError) { received = try await download.receive(plan, progress) } catch {
                return .failure(FetchFailure(error: error))
            }
            // Decode.
            let decoded =
                received.isCompleteSuccess
                ? await decoder.content(
                    of: received.content, received.head?.fields ?? [:], hop, waiting: waiting()) : nil
            let evaluation = FetchEvaluation(received, decoded, hop)
            if let failure = evaluation.failureWithoutPolicy(isCancelled: Task.isCancelled) { return .failure(failure) }
            // Store the response as the policy requires.
            let outcome = evaluation.outcome(plan, found, settings.cache, now: now)
            if case .retryUnconditionally(let next) = outcome.result {
                plan = next
                continue
            }
            let stored = await writer.apply(outcome.store, received.bytes, hop, found)
            let result = evaluation.result(outcome, stored, plan, found)
            if case .success(let fetched) = result, fetched.kind == .received {
                await remember(fetched, stored, hop, found.generations, isWaitedFor: !waiting().isEmpty)
            }
            return result
        }
    }

    /// Adds the image of the load that started a fetch to memory, so that loads that start after the fetch find it. The
    /// fetch waits for this image only if the response is not on disk, where they would find it too, or if no load
    /// waits for an image; then its variant file is also written.
    private func remember(
        _ fetched: FetchedResponse, _ stored: StoredState, _ hop: LoadHop, _ generations: CacheGenerations,
        isWaitedFor: Bool
    ) async {
        guard let decoding = hop.load.decoding, let body = fetched.body else { return }
        let usesMemory = writer.usesMemory(stored, hop)
        let isNeeded = isWaitedFor ? usesMemory && stored.revision == nil : usesMemory || hop.variantKey != nil
        let begin = ContinuousClock.now
        guard isNeeded || usesMemory && fetched.content.images[decoding.steps.pixelName] != nil,
            let image = try? await decoder.decode(body, .fetch(fetched), hop, decoding.declaring(fetched.fields))
        else { return }
        hop.load.meter.add(\.decode, since: begin)
        let content = decoder.content(image, body)
        if isWaitedFor {
            writer.rememberInMemory(content, stored, hop, generations)
        } else {
            writer.remember(content, stored, hop, generations)
        }
    }

    /// The result of a request from its stored response; nil when the content type of that response is not accepted or
    /// its body does not decode. In both cases the response is removed from `found`.
    private func cachedResult(
        _ stored: CachedResponse, refreshedBy refresh: RequestPlan?, _ found: inout LookupResult, _ hop: LoadHop,
        _ delivery: inout Delivery
    ) async throws(LoadError) -> HopResult? {
        if Storability.isRedirect(stored.status) {
            return try HopResult(
                redirect: FailedResponse(stored, of: found), isStored: found.isStored, source: .disk, hop.load)
        }
        guard Storability.isSuccess(stored.status) else {
            throw freshness.rememberedError(stored, found, hop.load, now: now)
        }
        guard var result = try await deliver(stored, &found, hop, &delivery) else { return nil }
        guard let refresh else { return .result(result) }
        guard delivery.wantsProgress else {
            refreshInBackground(hop, refresh, found)
            return .result(result)
        }
        do throws(LoadError) {
            return try await fetchedResult(hop, refresh, found, isRefresh: true, &delivery)
        } catch {
            // A failed refresh returns the stored image, which was usable without the refresh.
            guard error.code != .cancelled else { throw error }
            result.staleReason = error
            return .result(result)
        }
    }

    /// Decodes a stored response and reports it; nil when its content type is not accepted or its body does not decode.
    /// In both cases the response is removed from `found`.
    private func deliver(
        _ stored: CachedResponse, _ found: inout LookupResult, _ hop: LoadHop, _ delivery: inout Delivery
    ) async throws(LoadError) -> LoadResult? {
        guard let result = try await builder.result(stored, of: &found, at: hop, &delivery.timings) else {
            found.discardResponse()
            return nil
        }
        delivery.deliverCached(result)
        return result
    }

    /// The result of a request from a shared fetch. A second fetch follows if the body does not decode with the
    /// decoding variant of another load, or if the stored body is no longer available. Only loads with the decoding
    /// variant of this load share the second fetch.
    private func fetchedResult(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: LookupResult, isRefresh: Bool, _ delivery: inout Delivery
    ) async throws(LoadError) -> HopResult {
        let load = hop.load
        var (plan, found, isRefresh, isExclusive) = (plan, found, isRefresh, false)
        // A load with a stored response validates that response itself. A fetch of the other kind stores its response
        // only in the other cache.
        let isStoredByPeer = disk == nil || lookup.disk.peer != nil
        var mayJoinPeer = found.entry?.response == nil && !plan.isPassThrough && isStoredByPeer
        defer { load.priority.attach(nil) }
        while true {
            let waiter = join(
                hop, plan, found, isRefresh: isRefresh, isExclusive: isExclusive, mayJoinPeer: mayJoinPeer,
                wantsProgress: delivery.wantsProgress)
            defer { waiter.end() }
            let result = try await delivery.result(of: waiter.fetch)
            if waiter.isPeer, !sharedFetch.isUsable(result, hop) {
                mayJoinPeer = false
                continue
            }
            switch result {
            case .failure(let failure):
                guard failure.mayBeRetried(by: load), !isExclusive else { throw failure.error(for: load) }
            case .success(let fetched):
                try load.throwIfCancelled()
                if Storability.isRedirect(fetched.status) {
                    let source: LoadSource = fetched.kind == .received ? .none : .disk
                    let response = FailedResponse(
                        status: fetched.status, fields: fetched.fields, body: fetched.body ?? [], source: source)
                    return try HopResult(
                        redirect: response, isStored: fetched.isStored,
                        source: source == .none ? .networkToDisk : source, load)
                }
                if let result = try await builder.result(fetched, hop, found, &delivery.timings) {
                    if fetched.kind == .stored, fetched.staleReason == nil { delivery.deliverCached(result) }
                    return .result(result)
                }
                guard !isExclusive else { throw load.error(.undecodable, "the stored body is no longer available") }
                plan = RequestPlan()
                plan.isUnconditionalRetry = true
                (found, isRefresh) = (LookupResult(generations: found.generations), false)
            }
            (isExclusive, mayJoinPeer) = (true, false)
        }
    }

    /// Joins the fetch for a load or starts it.
    func join(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: LookupResult, isRefresh: Bool, isExclusive: Bool,
        mayJoinPeer: Bool = false, wantsProgress: Bool = true
    ) -> SharedFetch.Waiter {
        sharedFetch.join(
            hop, plan, isRefresh: isRefresh, isExclusive: isExclusive, mayJoinPeer: mayJoinPeer,
            wantsProgress: wantsProgress
        ) { [self] hop, waiting, progress in
            await fetch(hop, plan, found, isRefresh: isRefresh, waiting: waiting, progress)
        }
    }

    private func refreshInBackground(_ hop: LoadHop, _ plan: RequestPlan, _ found: LookupResult) {
        sharedFetch.refresh(hop) { [self] hop, waiting, progress in
            let result = await fetch(hop, plan, found, isRefresh: true, waiting: waiting, progress)
            if case .failure(let failure) = result { shared.reporter.reportFailure(failure.error, at: hop.url) }
            return result
        }
    }
}
