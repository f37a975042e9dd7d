#if Service
import Loader
import PlatformImage
import Synchronization

/// The service without HTTP: a request in, the bytes of an answer out, through caches that ask nothing twice.
///
/// Requests for one result share one fetch and one render. Each waits with a deadline of its own, and the work ends when
/// the last one has left.
final class ThumbnailEngine: Sendable {
    /// Where an answer came from.
    enum Provenance: String, Sendable, CaseIterable { case memory, disk, revalidated, render }

    struct Answer: Sendable {
        let result: StoredResult
        let provenance: Provenance
    }

    /// What one shared piece of work came to.
    typealias End = Result<Answer, ServiceError>

    let configuration: ServiceConfiguration
    let sources: any SourceReading
    let results: ResultCache
    let renderer: Renderer
    let queue: DecodeQueue
    let lifetimes: CacheLifetime.Settings
    let counters = ServiceCounters()
    private let renders = InFlightRequests<ResultKey, End>()
    private let clock: @Sendable () -> WallTime

    init(
        _ configuration: ServiceConfiguration, sources: any SourceReading,
        clock: @escaping @Sendable () -> WallTime = { .now }
    ) {
        self.configuration = configuration
        self.sources = sources
        self.clock = clock
        results = ResultCache(configuration.cache)
        lifetimes = configuration.cache.lifetimes
        var decoder = ImageDecoder()
        decoder.options.limits = configuration.limits.decode
        renderer = Renderer(
            decoder: decoder,
            sizes: SizeRules(
                maxSide: configuration.limits.resultSide, maxPixels: configuration.limits.resultPixels))
        queue = DecodeQueue(
            width: configuration.limits.threads, budget: DecodeBudget(maxBytes: configuration.limits.inFlightBytes))
    }

    /// What is kept of a request and fresh, without waiting for anything; nil otherwise.
    func remembered(_ request: ThumbnailRequest) -> Answer? {
        guard case .image = request.output.kind, request.source != .body,
            let result = results.remembered(ResultKey(canonical: request.canonicalBytes)), isFresh(result)
        else { return nil }
        return Answer(result: result, provenance: .memory)
    }

    /// The answer to a request, from wherever it can be had.
    ///
    /// - Parameter body: The source of a request whose source is its body.
    /// - Throws: Every reason there is but those of dialects and signatures.
    func answer(_ request: ThumbnailRequest, body: [UInt8]? = nil) async throws(ServiceError) -> Answer {
        try renderer.sizes.checkBeforeFetch(request.operations)
        if request.source == .body {
            let source = SourceBytes(body ?? [], lifetime: .init(isPrivate: true))
            return Answer(result: try await render(request, source), provenance: .render)
        }
        let key = ResultKey(canonical: request.canonicalBytes)
        var stale: StoredResult?
        if let result = results.remembered(key) {
            if isFresh(result) { return Answer(result: result, provenance: .memory) }
            stale = result
        } else if let result = await results.stored(key) {
            if isFresh(result) { return Answer(result: result, provenance: .disk) }
            stale = result
        }
        let old = stale
        let waiter = renders.join(key) { [self] _ in
            do throws(ServiceError) {
                return .success(try await renew(request, key, old))
            } catch {
                return .failure(error)
            }
        }
        guard let end = await waiter.end() else { throw ServiceError(.deadline, "the request was given up") }
        return try end.get()
    }

    /// What the header of a source says, and the source; nothing is decoded.
    func header(of name: SourceName) async throws(ServiceError) -> (header: ImageHeader, source: SourceBytes) {
        let source = try await sources.read(name)
        return (try renderer.header(of: source.bytes), source)
    }

    var now: WallTime { clock() }

    /// Waits until everything that was fetched and rendered lies on disk.
    func flush() async {
        await sources.flush()
        await results.flush()
    }

    /// Asks for the source, and renders it unless the result that is kept is of the same bytes.
    private func renew(
        _ request: ThumbnailRequest, _ key: ResultKey, _ old: StoredResult?
    ) async throws(ServiceError) -> Answer {
        let source = try await sources.read(request.source)
        let now = clock()
        if var old, old.facts.sourceDigest == source.digest {
            old.facts.source = source.lifetime
            old.facts.seenAt = now
            old.facts.lastModified = source.lastModified
            if mayBeKept(old) { await results.renew(old, key) }
            return Answer(result: old, provenance: .revalidated)
        }
        let result = try await render(request, source)
        if case .image = request.output.kind, mayBeKept(result) { await results.keep(result, key) }
        return Answer(result: result, provenance: .render)
    }

    /// By what the configuration and the origin say; what a target wishes only shortens what clients are told.
    private func isFresh(_ result: StoredResult) -> Bool {
        result.lifetime(AnswerPolicy(), lifetimes, now: clock()).remaining > 0
    }

    private func mayBeKept(_ result: StoredResult) -> Bool {
        result.lifetime(AnswerPolicy(), lifetimes, now: clock()).isShareable
    }

    /// Decodes, resizes, filters and encodes on the render threads, when the bytes it takes are free.
    private func render(
        _ request: ThumbnailRequest, _ source: SourceBytes
    ) async throws(ServiceError) -> StoredResult {
        guard !source.bytes.isEmpty else { throw ServiceError(.notAnImage, "the source is empty") }
        guard queue.waitingCount + queue.budget.waitingCount < configuration.limits.queue else {
            throw ServiceError(.overloaded, retryAfter: 1, "too many renders wait")
        }
        let prepared = try renderer.prepare(source.bytes, for: request)
        guard prepared.weight <= queue.budget.maxBytes else {
            throw ServiceError(.limit, "the render would hold too many bytes")
        }
        let renderer = renderer
        let end: Result<RenderedImage, ServiceError>
        do throws(DecodeError) {
            end = try await queue.run(byteCount: prepared.weight) { flag in
                do throws(ServiceError) {
                    return .success(try renderer.render(prepared, source.bytes, cancellation: flag))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw ServiceError(error)
        }
        let image = try end.get()
        counters.countRender()
        let format = image.contentType
        let tag = ETag(
            source: source.digest.utf8, operations: request.canonicalOperations, format: format,
            version: ServiceIdentity.renderVersion)
        return StoredResult(
            bytes: image.bytes,
            facts: StoredResult.Facts(
                contentType: format, entityTag: tag.fieldValue, sourceDigest: source.digest,
                lastModified: source.lastModified, frameCount: image.frameCount,
                isDamaged: image.status != .complete, source: source.lifetime, seenAt: clock(),
                canonicalPath: request.canonicalIIIF(image.plan)))
    }
}

/// Gives the bytes of sources.
protocol SourceReading: Sendable {
    /// - Throws: `notFound`, `hostRefused`, `portRefused`, `schemeRefused`, `addressRefused`, `tooLarge`, `originFailed`,
    ///   `originTimeout`, `deadline` when the calling task is cancelled.
    func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes

    /// Waits until what was fetched lies on disk.
    func flush() async
}

/// What has happened since the start.
final class ServiceCounters: Sendable {
    private let renders = Atomic(0)

    /// Renders that succeeded.
    var renderCount: Int { renders.load(ordering: .relaxed) }

    func countRender() { renders.wrappingAdd(1, ordering: .relaxed) }
}
#endif
