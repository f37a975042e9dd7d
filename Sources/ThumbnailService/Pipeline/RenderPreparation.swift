#if Service
import PlatformImage
import Synchronization

/// Everything before a render that takes time in proportion to its source: digest, header and the plan of the decode.
///
/// It runs on the threads of a queue, so no cooperative thread is blocked, and it ends with the task that waits for it. The
/// headers of the last sources are kept: frames are counted once for all sizes of a source.
final class RenderPreparation: Sendable {
    /// What came of reading a source's header for one request.
    struct Outcome: Sendable {
        let render: Result<PreparedRender, ServiceError>
        /// True when no request at all could be served from the source. A limit may also be that of one request's size.
        let isFault: Bool
    }

    private struct Key: Hashable {
        let digest: String
        let page: Int
    }

    /// Headers that are kept.
    static let maxHeaders = 4_096
    /// Bytes of an ICC profile's name with which a header is kept.
    private static let maxDescriptionBytes = 256

    let queue: DecodeQueue
    private let renderer: Renderer
    private let headers = Mutex(RecentTable<Key, ImageHeader>(capacity: RenderPreparation.maxHeaders))

    init(_ renderer: Renderer, _ queue: DecodeQueue) { (self.renderer, self.queue) = (renderer, queue) }

    /// Headers that are kept now.
    var headerCount: Int { headers.locked(in: self) { $0.count } }

    /// A source that is there, by the digest of its bytes.
    ///
    /// - Throws: `deadline` when the calling task is cancelled.
    func source(_ bytes: [UInt8], lifetime: CacheLifetime.Source) async throws(ServiceError) -> SourceBytes {
        try await run { _ in SourceBytes(bytes, lifetime: lifetime) }
    }

    /// What the file says about its first picture.
    ///
    /// - Throws: `notAnImage`, `limit`; `deadline` when the calling task is cancelled.
    func header(of source: SourceBytes) async throws(ServiceError) -> ImageHeader {
        if let header = kept(Key(digest: source.digest, page: 1)) { return header }
        let header = try await run { flag in
            Result { () throws(ServiceError) in try self.header(of: source, page: 1, flag) }
        }
        return try header.get()
    }

    /// Reads the header, unless it is kept, and works out sizes and memory.
    ///
    /// - Throws: `deadline` when the calling task is cancelled.
    func prepare(_ request: ThumbnailRequest, _ source: SourceBytes) async throws(ServiceError) -> Outcome {
        try await run { flag in
            let header: ImageHeader
            do throws(ServiceError) {
                guard !source.bytes.isEmpty else { throw ServiceError(.notAnImage, "the source is empty") }
                header = try self.header(of: source, page: request.operations.page, flag)
            } catch {
                return Outcome(render: .failure(error), isFault: self.isFault(source, request.operations.page, flag))
            }
            let render = Result { () throws(ServiceError) in
                try self.renderer.prepare(source.bytes, header, for: request, cancellation: flag)
            }
            return Outcome(render: render, isFault: false)
        }
    }

    /// A page that is damaged or missing says nothing about the first one.
    private func isFault(_ source: SourceBytes, _ page: Int, _ flag: CancellationFlag) -> Bool {
        guard page > 1 else { return true }
        return (try? header(of: source, page: 1, flag)) == nil
    }

    private func header(
        of source: SourceBytes, page: Int, _ flag: CancellationFlag
    ) throws(ServiceError) -> ImageHeader {
        let key = Key(digest: source.digest, page: page)
        if let header = kept(key) { return header }
        let header = try renderer.header(of: source.bytes, page: page, cancellation: flag)
        if (header.iccProfileDescription?.utf8.count ?? 0) <= Self.maxDescriptionBytes {
            headers.locked(in: self) { $0[key] = header }
        }
        return header
    }

    private func kept(_ key: Key) -> ImageHeader? {
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
#endif
