import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader
import Synchronization

/// The service without HTTP: processes a request through caches, fetch and render.
///
/// Requests with equal results share one fetch and one render. Each request waits until its deadline; the work is
/// cancelled when no request waits for it any more.
final class ThumbnailEngine: Sendable {
    struct ServedResult: Sendable {
        let result: StoredResult
        let provenance: Provenance
    }

    /// Result of one piece of shared work.
    typealias WorkResult = Result<ServedResult, ServiceError>

    let configuration: ServiceConfiguration
    let sources: any SourceReading
    let results: ResultCache
    let renderer: Renderer
    let queue: DecodeQueue
    let lifetimes: CacheLifetime.Settings
    let admission: Admission
    let bodies: BodyBudget
    let preparation: RenderPreparation
    let failures: FailureCache
    let slowSources = SlowSources()
    let shared: SharedRenders
    let counters = ServiceCounters()
    let metrics: ServiceMetrics
    let isolation: DecodeIsolation
    /// The running server; nil while none runs.
    private let runningServer = Mutex<HTTPServer?>(nil)
    private let clients: ClientLimit?
    let renders = InFlightRequests<ResultKey, WorkResult>()
    fileprivate let clock: @Sendable () -> WallTime
    private let onRenderStart: @Sendable () -> Void

    /// - Parameters:
    ///   - isolation: The worker processes that decode all sources; by default this process decodes them.
    ///   - onRenderStart: Called on the thread of a render when its decode begins; tests block it.
    init(
        _ configuration: ServiceConfiguration, sources: any SourceReading,
        metrics: ServiceMetrics = ServiceMetrics(), isolation: DecodeIsolation = .inProcess, log: ServiceLog = .none,
        clock: @escaping @Sendable () -> WallTime = { .now },
        onRenderStart: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        self.sources = sources
        self.metrics = metrics
        self.isolation = isolation
        self.clock = clock
        self.onRenderStart = onRenderStart
        results = ResultCache(configuration.cache, log: log)
        failures = FailureCache(
            negativeLifetime: configuration.cache.negativeLifetime,
            identifiersAreFiles: configuration.iiif?.urlPrefix == nil)
        lifetimes = configuration.cache.lifetimes
        var decoder = ImageDecoder()
        decoder.isolation = isolation
        decoder.options.limits = configuration.limits.decode
        decoder.options.strictness = configuration.decode.failOn.strictness
        decoder.options.budgetBytes = configuration.limits.inFlightBytes
        renderer = Renderer(
            decoder: decoder,
            sizes: SizeRules(
                maxSide: configuration.limits.resultSide, maxPixels: configuration.limits.resultPixels,
                clampsConfinedSizes: configuration.output.clampsConfinedSizes),
            encoding: ResultEncoding(searchBudget: configuration.output.searchBudget),
            maxFrames: configuration.limits.frames, maxWork: configuration.limits.workNanoseconds,
            keepsAnimations: configuration.output.keepsAnimations)
        let limits = configuration.limits
        queue = DecodeQueue(
            width: limits.threads, budget: DecodeBudget(maxBytes: limits.inFlightBytes, maxPasses: Self.maxPasses),
            niceness: Self.niceness)
        bodies = BodyBudget(queue.budget, maxBodyBytes: limits.sourceBytes)
        // A separate queue for reading image headers: a render is admitted only after the header of its source is read,
        // so this work must not wait for other renders.
        preparation = RenderPreparation(renderer, DecodeQueue(width: queue.width, niceness: Self.niceness))
        admission = Admission(
            threads: queue.width, maxWaiting: limits.queue, maxWait: limits.queueWait,
            maxWaitingBytes: limits.inFlightBytes)
        shared = SharedRenders(renderer, queue, counters, metrics)
        clients = limits.rendersPerClient.map { ClientLimit(rendersPerMinute: $0) }
    }

    /// The running server with the connections of the clients; nil while none runs.
    var server: HTTPServer? { runningServer.locked(in: self) { $0 } }

    func setServer(_ server: HTTPServer?) { runningServer.locked(in: self) { $0 = server } }

    /// Nice value of the render threads and of the decode workers: their lower priority keeps cache hits and rejections
    /// fast while all cores render.
    static let niceness = 10

    /// Maximum number of later renders that may start before a render that waits for more memory than is free.
    private static let maxPasses = 8

    /// Returns the key of a request's result in the memory cache; nil for a request whose result is never cached,
    /// because it is not an image or its source is the request body.
    func memoryKey(of request: ThumbnailRequest) -> ResultKey? {
        guard case .image = request.output.kind, request.source != .body else { return nil }
        return ResultKey(canonical: request.canonicalBytes)
    }

    /// Returns the fresh result in memory without suspension; nil when there is none.
    func freshResultInMemory(_ key: ResultKey) -> ServedResult? {
        guard let result = results.resultInMemory(key), isFresh(result) else { return nil }
        metrics.hit(.memory)
        return ServedResult(result: result, provenance: .memory)
    }

    /// Rejects a request early when a new render would not be admitted, and neither a disk cache nor a running render
    /// can serve the request.
    ///
    /// - Throws: `overloaded`.
    func checkLoad(_ request: ThumbnailRequest) throws(ServiceError) {
        if let server, server.isQueueFull {
            throw ServiceError(
                .overloaded, retryAfter: 1, "too many bytes of responses wait for clients that do not read")
        }
        guard !results.hasDisk, renders.waiterCount(of: ResultKey(canonical: request.canonicalBytes)) == 0 else {
            return
        }
        try admission.check()
    }

    /// Returns the response to a request from a cache or a render.
    ///
    /// - Parameters:
    ///   - body: The source of a request whose source is its body.
    ///   - reservation: Reserved bytes of the body; they are released when the render is queued, because the queue
    ///     counts sources itself.
    ///   - client: Address of the client for the rate limit; nil for no limit.
    /// - Throws: Errors of all reasons except those of dialects and signatures.
    func result(
        for request: ThumbnailRequest, body: [UInt8]? = nil, reservation: BodyReservation? = nil,
        client: IPAddress? = nil
    ) async throws(ServiceError) -> ServedResult {
        let deadline = ContinuousClock.now + configuration.server.deadline
        try renderer.sizes.checkBeforeFetch(request.operations)
        if request.source == .body {
            try checkNewRender(client)
            let source = try await preparation.source(body ?? [], lifetime: .init(isPrivate: true))
            let prepared = try await prepare(request, source)
            let result = try await render(prepared, source, deadline) { reservation?.release() }
            return ServedResult(result: result, provenance: .render)
        }
        let key = ResultKey(canonical: request.canonicalBytes)
        var stale: StoredResult?
        let inMemory = results.resultInMemory(key)
        let isInMemory = inMemory != nil
        if let result = inMemory {
            if isFresh(result) {
                metrics.hit(.memory)
                return ServedResult(result: result, provenance: .memory)
            }
            stale = result
        } else if let result = await results.resultOnDisk(key) {
            if isFresh(result) {
                metrics.hit(.disk)
                return ServedResult(result: result, provenance: .disk)
            }
            stale = result
        }
        countMisses(wasDiskRead: !isInMemory)
        // A request that joins running work causes no new work. Any other request may be rejected here, before a fetch.
        if renders.waiterCount(of: key) == 0 {
            if let failure = storedFailure(of: request.source) { throw failure }
            try checkNewRender(client)
        }
        let old = stale
        let start = WorkStartFlag()
        let waiter = renders.join(key) { [self] _ in
            start.markStarted()
            // Another render of the same result may have ended since the lookup.
            if let served = freshResultInMemory(key) { return .success(served) }
            do throws(ServiceError) {
                return .success(try await refresh(request, key, old, deadline))
            } catch {
                return .failure(error)
            }
        }
        guard let result = await waiter.output() else { throw ServiceError(.deadline, "the request was cancelled") }
        if start.isStartedByAnotherRequest { metrics.shared(.render) }
        return try result.get()
    }

    /// Returns the image header of a source, and the source; no pixels are decoded.
    func header(of name: SourceName) async throws(ServiceError) -> (header: ImageHeader, source: SourceBytes) {
        if let failure = storedFailure(of: name) { throw failure }
        let ticket = try admission.reserveFetch()
        var isDone = false
        defer { admission.releaseFetch(ticket, isDone: isDone) }
        let source = try await read(name)
        isDone = true
        return (try await preparation.header(of: source), source)
    }

    /// Checks load and rate limit before a new render.
    ///
    /// - Throws: `clientLimit`, `overloaded`.
    private func checkNewRender(_ client: IPAddress?) throws(ServiceError) {
        try admission.check()
        if let client, let clients { try clients.acquire(for: client) }
    }

    /// Reads a source and updates the failure cache.
    private func read(_ name: SourceName) async throws(ServiceError) -> SourceBytes {
        do throws(ServiceError) {
            let source = try await timedRead(name)
            failures.recordRead(name)
            return source
        } catch {
            failures.record(error, of: name, now: clock())
            throw error
        }
    }

    var now: WallTime { clock() }

    /// Waits until all fetched sources and rendered results are on disk.
    func flush() async {
        await sources.flush()
        await results.flush()
    }

    /// Reads the source, and renders it unless the stale result was rendered from equal bytes.
    private func refresh(
        _ request: ThumbnailRequest, _ key: ResultKey, _ old: StoredResult?, _ deadline: ContinuousClock.Instant
    ) async throws(ServiceError) -> ServedResult {
        // A source counts as being fetched until its render is admitted.
        let ticket = try admission.reserveFetch()
        var isDone = false
        defer { admission.releaseFetch(ticket, isDone: isDone) }
        let source = try await read(request.source)
        isDone = true
        let now = clock()
        if var old, old.facts.sourceDigest == source.digest {
            old.facts.source = source.lifetime
            old.facts.validatedAt = now
            old.facts.lastModified = source.lastModified
            old.facts.isStale = source.isStale
            if mayBeStored(old) { await results.updateFreshness(old, key) }
            return ServedResult(result: old, provenance: .revalidated)
        }
        let prepared = try await prepare(request, source)
        let (admission, isFetched) = (admission, isDone)
        let result = try await render(prepared, source, deadline) {
            admission.releaseFetch(ticket, isDone: isFetched)
        }
        failures.remove(request.source)
        if case .image = request.output.kind, mayBeStored(result) { await results.store(result, key) }
        return ServedResult(result: result, provenance: .render)
    }

    /// Returns true when the result is fresh by the configuration and the origin's response. The target's policy is
    /// ignored: it only shortens the lifetime for clients.
    func isFresh(_ result: StoredResult) -> Bool {
        result.lifetime(ResponsePolicy(), lifetimes, now: clock()).remaining > 0
    }

    private func mayBeStored(_ result: StoredResult) -> Bool {
        result.lifetime(ResponsePolicy(), lifetimes, now: clock()).isShareable
    }

    /// Decodes, resizes, filters and encodes on the render threads when enough memory is free.
    ///
    /// - Parameter onAdmission: Called immediately before admission control decides about the render; not called when
    ///   the render exceeds the memory budget.
    private func render(
        _ prepared: PreparedRender, _ source: SourceBytes, _ deadline: ContinuousClock.Instant,
        onAdmission: () -> Void
    ) async throws(ServiceError) -> StoredResult {
        let request = prepared.request
        guard prepared.byteCount <= queue.budget.maxBytes else {
            throw ServiceError(
                .limit,
                "the render needs \(prepared.byteCount) bytes, the memory budget is \(queue.budget.maxBytes) bytes")
        }
        onAdmission()
        let ticket = try admission.admitRender(prepared.work(source.bytes.count), remaining: deadline - .now)
        var isDone = false
        defer { admission.releaseRender(ticket, isDone: isDone) }
        let admission = admission
        let timer = RenderTimer(metrics)
        let decode = DecodeClock(clock)
        let begin: SharedRenders.BeginHandler = { [onRenderStart] isFirst in
            admission.markRunning(ticket)
            if isFirst {
                // The stopwatch starts before any expensive work on the decode thread.
                decode.begin()
                timer.begin()
                onRenderStart()
            }
        }
        let image: RenderedImage
        do throws(ServiceError) {
            if let plan = prepared.sharedPlan {
                let key = SharedRenders.Key(
                    digest: source.digest, page: request.operations.page, plan: plan,
                    keepsProfile: prepared.metadata.profile != nil)
                image = try await shared.render(prepared, source.bytes, key, decode, begin)
            } else {
                image = try await renderAlone(prepared, source.bytes, decode, begin)
            }
        } catch {
            timer.fail()
            if error.reason == .notAnImage { countFailure(error, request) }
            if error.reason == .deadline { countIfSlow(source, decode) }
            throw error
        }
        isDone = true
        slowSources.remove(source.bytes)
        counters.countRender()
        timer.end(image, sourceBytes: source.bytes.count)
        let format = image.contentType
        // A search, or another limit of the work, may select another file next time; for one bitmap, equal formats and
        // qualities give equal bytes.
        let isLosslessWebP = image.format == .webp && image.quality == nil
        let variant = image.isSearched || isLosslessWebP ? "\(format);\(image.quality ?? 0)" : format
        let tag = ETag(
            source: source.digest.utf8, operations: request.canonicalOperations, format: variant,
            version: ServiceIdentity.renderVersion)
        return StoredResult(
            bytes: image.bytes,
            facts: StoredResult.Facts(
                contentType: format, entityTag: tag.fieldValue, sourceDigest: source.digest,
                lastModified: source.lastModified, frameCount: image.frameCount,
                resultFrameCount: image.resultFrameCount,
                isDamaged: image.status != .complete, isStale: source.isStale, source: source.lifetime,
                validatedAt: clock(),
                canonicalPath: request.canonicalIIIF(image.plan)))
    }
}

extension ThumbnailEngine {
    /// Executes a render that cannot share a decode, because its ``PreparedRender/sharedPlan`` is nil.
    private func renderAlone(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ decode: DecodeClock,
        _ begin: @escaping SharedRenders.BeginHandler
    ) async throws(ServiceError) -> RenderedImage {
        let (renderer, counters) = (renderer, counters)
        let result: SharedRenders.RenderResult
        do throws(DecodeError) {
            result = try await queue.run(byteCount: prepared.byteCount) { flag in
                begin(true)
                if !prepared.isMetadataOnly { counters.countDecodes(1) }
                do throws(ServiceError) {
                    return .success(try renderer.render(prepared, bytes, decode: decode, cancellation: flag))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw ServiceError(error)
        }
        return try result.get()
    }

    /// Reads the image header of the source and prepares the render. Counts a failure that the source itself causes.
    private func prepare(
        _ request: ThumbnailRequest, _ source: SourceBytes
    ) async throws(ServiceError) -> PreparedRender {
        if let failure = slowSources.failure(of: source.bytes, now: clock()) { throw failure }
        let preparation = try await preparation.prepare(request, source)
        do throws(ServiceError) {
            return try preparation.render.get()
        } catch {
            let isSourceError = error.reason == .notAnImage || error.reason == .limit
            if isSourceError, preparation.isSourceDefect { countFailure(error, request) }
            throw error
        }
    }

    private func countFailure(_ error: ServiceError, _ request: ThumbnailRequest) {
        if request.source != .body { failures.record(error, of: request.source, now: clock()) }
    }

    /// Counts a decode that was cancelled after at least half of the deadline, by its deadline or by its client. A
    /// shorter decode is no evidence of a slow source: the request may have waited in the queue most of the time, or
    /// its client may have disconnected early.
    private func countIfSlow(_ source: SourceBytes, _ decode: DecodeClock) {
        guard let elapsed = decode.elapsed, elapsed >= configuration.server.deadline / 2 else { return }
        slowSources.record(source.bytes, now: clock())
    }
}

extension PreparedRender {
    /// Estimated cost for admission control.
    fileprivate func work(_ sourceBytes: Int) -> Admission.Work {
        Admission.Work(
            format: header.format,
            pixels: (format.isAnimation ? header.frameCount ?? 1 : 1)
                * (header.width * header.height + 4 * plan.resultWidth * plan.resultHeight),
            sourceBytes: sourceBytes.addingClamped(metadata.byteCount))
    }
}
