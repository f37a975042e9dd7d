import PlatformImage
import Synchronization

/// Prepares renders: computes the digest of the source, reads its header and computes the decode plan. The cost of
/// these steps is proportional to the size of the source.
///
/// The work runs on the threads of a queue, so that no cooperative thread is blocked, and is cancelled with the task
/// that waits for it. The headers of recent sources are cached, so that the frames of a source are counted only once,
/// not for each requested size.
final class RenderPreparation: Sendable {
    /// Result of the preparation of one request.
    struct PreparationResult: Sendable {
        let render: Result<PreparedRender, ServiceError>
        /// True when the source is unusable for every request. False for a limit that only this request's size exceeds.
        let isSourceDefect: Bool
    }

    private struct Key: Hashable {
        let digest: String
        let page: Int
    }

    /// Maximum number of cached image headers.
    static let maxHeaders = 4_096
    /// Maximum bytes of an ICC profile description in a cached image header.
    private static let maxDescriptionBytes = 256

    let queue: DecodeQueue
    private let renderer: Renderer
    private let headers = Mutex(RecentTable<Key, ImageHeader>(capacity: RenderPreparation.maxHeaders))

    init(_ renderer: Renderer, _ queue: DecodeQueue) { (self.renderer, self.queue) = (renderer, queue) }

    /// Number of cached image headers.
    var headerCount: Int { headers.locked(in: self) { $0.count } }

    /// Wraps bytes as a source, identified by their digest.
    ///
    /// - Throws: `deadline` when the calling task is cancelled.
    func source(_ bytes: [UInt8], lifetime: CacheLifetime.Source) async throws(ServiceError) -> SourceBytes {
        try await run { _ in SourceBytes(bytes, lifetime: lifetime) }
    }

    /// Returns the header of the first page of a source.
    ///
    /// - Throws: `notAnImage`, `limit`; `deadline` when the calling task is cancelled.
    func header(of source: SourceBytes) async throws(ServiceError) -> ImageHeader {
        if let header = cachedHeader(Key(digest: source.digest, page: 1)) { return header }
        let header = try await run { flag in
            Result { () throws(ServiceError) in try self.header(of: source, page: 1, flag) }
        }
        return try header.get()
    }

    /// Reads the header of the source, unless it is cached, and computes the sizes and the memory of the render.
    ///
    /// - Throws: `deadline` when the calling task is cancelled.
    func prepare(_ request: ThumbnailRequest, _ source: SourceBytes) async throws(ServiceError) -> PreparationResult {
        try await run { flag in
            let header: ImageHeader
            let cost: KnownThumbnailCost?
            do throws(ServiceError) {
                guard !source.bytes.isEmpty else {
                    throw ServiceError(.notAnImage, code: "empty", "the source is empty").describing(source)
                }
                (header, cost) = try self.headerAndCost(of: source, for: request, flag)
            } catch {
                return PreparationResult(
                    render: .failure(error), isSourceDefect: self.isSourceDefect(source, request.operations.page, flag))
            }
            let render = Result { () throws(ServiceError) in
                try self.renderer.prepare(
                    source.bytes, header, for: request, knownCost: cost, cancellation: flag)
            }
            return PreparationResult(render: render, isSourceDefect: false)
        }
    }

    /// Returns true when a failure to read the header of `page` is a fault of the source. For a later page, this is so
    /// only when the first page is unusable too.
    private func isSourceDefect(_ source: SourceBytes, _ page: Int, _ flag: CancellationFlag) -> Bool {
        guard page > 1 else { return true }
        do throws(ServiceError) {
            _ = try header(of: source, page: 1, flag)
            return false
        } catch {
            return error.reason == .notAnImage || error.reason == .limit
        }
    }

    private func header(
        of source: SourceBytes, page: Int, _ flag: CancellationFlag
    ) throws(ServiceError) -> ImageHeader {
        let key = Key(digest: source.digest, page: page)
        if let header = cachedHeader(key) { return header }
        let header: ImageHeader
        do throws(ServiceError) {
            header = try renderer.header(of: source.bytes, page: page, cancellation: flag)
        } catch {
            throw error.describing(source)
        }
        store(header, key)
        return header
    }

    /// Returns the header of the requested page and, when it was not cached, the cost that was read with it.
    private func headerAndCost(
        of source: SourceBytes, for request: ThumbnailRequest, _ flag: CancellationFlag
    ) throws(ServiceError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        let key = Key(digest: source.digest, page: request.operations.page)
        if let header = cachedHeader(key) { return (header, nil) }
        do throws(ServiceError) {
            let (header, cost) = try renderer.headerAndCost(of: source.bytes, for: request, cancellation: flag)
            store(header, key)
            return (header, cost)
        } catch {
            throw error.describing(source)
        }
    }

    private func store(_ header: ImageHeader, _ key: Key) {
        guard (header.iccProfileDescription?.utf8.count ?? 0) <= Self.maxDescriptionBytes else { return }
        headers.locked(in: self) { $0[key] = header }
    }

    private func cachedHeader(_ key: Key) -> ImageHeader? {
        headers.locked(in: self) { headers in
            guard let header = headers[key] else { return nil }
            headers[key] = header
            return header
        }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (CancellationFlag) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(DecodeError) {
            return try await queue.run { flag throws(DecodeError) in work(flag) }
        } catch {
            throw ServiceError(error)
        }
    }
}

extension ServiceError {
    /// Returns the error with the content of a source that is not an image as its ``detail``; unchanged when it has
    /// one, or when the source is an image.
    fileprivate func describing(_ source: SourceBytes) -> Self {
        guard reason == .notAnImage, detail == nil, code == "unknownFormat" || source.bytes.isEmpty else { return self }
        let found = SourceContent.description(of: source.bytes, declaredType: source.declaredType)
        return Self(reason, status: status, retryAfter: retryAfter, code: code, detail: found, message)
    }
}
