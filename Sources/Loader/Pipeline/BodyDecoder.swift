#if Loader
internal import PlatformImage

/// Decodes bodies on the decode queue; loads that decode the same body with the same options share one decode.
struct BodyDecoder: Sendable {
    typealias Decodes = InFlightRequests<DecodeKey, Result<DecodedImage, DecodeError>>

    let decodes: Decodes
    let queue: DecodeQueue
    let counters: LoadCounters
    let retainsEncodedData: Bool

    /// Decodes a body for one load; concurrent calls with the same body and options share the decode.
    func decode(
        _ body: [UInt8], _ source: DecodeSource, _ hop: LoadHop, _ decoding: Load.Decoding
    ) async throws(LoadError) -> DecodedImage {
        let result: Result<DecodedImage, DecodeError>
        if let key = DecodeKey(source, variant: decoding.variant) {
            let waiter = decodes.join(key, wantsProgress: false) { _ in
                // The key contains the object identifier of the fetch, so the fetch must outlive the decode.
                defer { withExtendedLifetime(source) {} }
                return await decode(body, hop, decoding)
            }
            guard let decoded = await waiter.output() else { throw .cancelled(url: Redaction.masked(hop.url)) }
            result = decoded
        } else {
            result = await decode(body, hop, decoding)
        }
        switch result {
        case .success(let image): return image
        case .failure(let error): throw LoadError(error, at: hop.url)
        }
    }

    /// Decodes a stored body; blocks the calling thread until the decode queue has decoded it.
    func decodeBlocking(
        _ body: [UInt8], _ hop: LoadHop, _ decoding: Load.Decoding
    ) throws(DecodeError) -> DecodedImage {
        try queue.decodeBlocking(body, with: decoding.decoder, priority: hop.load.priority.decodePriority)
    }

    /// The content of a received body for the load that started the fetch: the decoded image, or the bytes. For a
    /// prefetch to disk the header of the image is checked first (O42). A body that does not decode is never stored.
    func content(of bytes: [UInt8], _ hop: LoadHop) async -> Result<LoadContent, FetchFailure> {
        guard let decoding = hop.load.decoding else { return await undecodedContent(of: bytes, hop) }
        let begin = ContinuousClock.now
        defer { hop.load.meter.add(\.decode, since: begin) }
        switch await decode(bytes, hop, decoding) {
        case .success(let image): return .success(content(image, bytes))
        case .failure(let error):
            return .failure(FetchFailure(error: LoadError(error, at: hop.url), variant: decoding.variant))
        }
    }

    /// A decoded image, with its encoded bytes if the configuration retains them.
    func content(_ image: DecodedImage, _ bytes: [UInt8]) -> LoadContent {
        LoadContent(image: image, bytes: retainsEncodedData ? bytes : nil)
    }

    private func undecodedContent(of bytes: [UInt8], _ hop: LoadHop) async -> Result<LoadContent, FetchFailure> {
        guard let decoder = hop.load.headerDecoder else { return .success(LoadContent(bytes: bytes)) }
        do throws(DecodeError) {
            try await queue.checkHeader(of: bytes, with: decoder, priority: hop.load.priority.decodePriority)
            return .success(LoadContent(bytes: bytes))
        } catch {
            // The name `header` differs from all decoding variants. A load that shares this fetch and decodes the image
            // therefore fetches it again with its decode options, and may succeed.
            return .failure(FetchFailure(error: LoadError(error, at: hop.url), variant: "header"))
        }
    }

    private func decode(
        _ body: [UInt8], _ hop: LoadHop, _ decoding: Load.Decoding
    ) async -> Result<DecodedImage, DecodeError> {
        do throws(DecodeError) {
            let image = try await queue.decode(
                body, with: decoding.decoder, priority: hop.load.priority.decodePriority,
                timed: { [counters] image, time in
                    counters.countDecode(time)
                    return image
                })
            return .success(image)
        } catch {
            return .failure(error)
        }
    }
}

/// Identifies a body, so that loads of one body can share its decode.
enum DecodeSource: Sendable {
    case disk(DiskCache.Revision)
    case fetch(FetchedResponse)
    case unidentified
}

/// Key of a shared decode: the body and the decoding variant.
struct DecodeKey: Hashable, Sendable {
    private enum Body: Hashable, Sendable {
        case disk(DiskCache.Revision)
        case fetch(ObjectIdentifier)
    }

    private let body: Body
    private let variant: String

    /// Creates the key of a decode; nil for ``DecodeSource/unidentified``, which cannot be shared.
    init?(_ source: DecodeSource, variant: String) {
        switch source {
        case .disk(let revision): body = .disk(revision)
        case .fetch(let fetched): body = .fetch(ObjectIdentifier(fetched))
        case .unidentified: return nil
        }
        self.variant = variant
    }
}
#endif
