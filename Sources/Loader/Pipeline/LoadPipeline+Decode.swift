#if Loader
internal import PlatformImage

/// A body whose decoding may be shared.
enum DecodeSource: Sendable {
    case disk(DiskCache.Revision)
    case fetch(Fetched)
    case unnamed
}

/// A body and how it is decoded: equal ones are decoded once.
struct DecodeKey: Hashable, Sendable {
    private enum Body: Hashable, Sendable {
        case disk(DiskCache.Revision)
        case fetch(ObjectIdentifier)
    }

    private let body: Body
    private let variant: String

    /// Nil for a body without a name.
    init?(_ source: DecodeSource, variant: String) {
        switch source {
        case .disk(let revision): body = .disk(revision)
        case .fetch(let fetched): body = .fetch(ObjectIdentifier(fetched))
        case .unnamed: return nil
        }
        self.variant = variant
    }
}

extension LoadPipeline {
    /// Decodes a body for one load, together with all others that want the same of it now.
    func decode(
        _ body: [UInt8], _ source: DecodeSource, _ hop: LoadHop, _ decoding: Load.Decoding
    ) async throws(LoadError) -> DecodedImage {
        guard let key = DecodeKey(source, variant: decoding.variant) else {
            return try Self.image(await decode(body, hop, decoding), hop)
        }
        let waiter = shared.decodes.join(key, hearsSteps: false) { [self] _ in
            // The key names the fetch by its address in memory, so it must not go away before.
            defer { withExtendedLifetime(source) {} }
            return await decode(body, hop, decoding)
        }
        guard let end = await waiter.end() else { throw .cancelled(url: Redaction.shown(hop.url)) }
        return try Self.image(end, hop)
    }

    /// Decodes on the decode queue.
    func decode(
        _ body: [UInt8], _ hop: LoadHop, _ decoding: Load.Decoding
    ) async -> Result<DecodedImage, DecodeError> {
        let counters = shared.reporter.counters
        do throws(DecodeError) {
            let image = try await shared.decodeQueue.decode(
                body, with: decoding.decoder, priority: hop.load.priority.priority == .urgent ? .high : .low,
                timed: { image, time in
                    counters.countDecode(time)
                    return image
                })
            return .success(image)
        } catch {
            return .failure(error)
        }
    }

    private static func image(
        _ result: Result<DecodedImage, DecodeError>, _ hop: LoadHop
    ) throws(LoadError) -> DecodedImage {
        switch result {
        case .success(let image): return image
        case .failure(let error): throw Self.error(of: error, hop)
        }
    }

    /// The loader's error for a decoder's.
    static func error(of error: DecodeError, _ hop: LoadHop) -> LoadError {
        let url = Redaction.shown(hop.url)
        let code: LoadError.Code
        switch error.code {
        case .cancelled: return .cancelled(url: url)
        case .unsupported: code = .unsupportedFormat
        case .limitExceeded: code = .pixelLimit
        // The request's mistake, which must not count against the address.
        case .invalidArgument: code = .configuration
        default: code = .undecodable
        }
        return LoadError(code, url: url, decodeError: error, error.message)
    }

    /// Why a stale picture is shown, as an error.
    func error(_ failure: AnswerFailure, _ load: Load) -> LoadError {
        let url = Redaction.shown(load.url)
        switch failure {
        case .status(let status): return LoadError(.http, url: url, statusCode: status, "status \(status)")
        case .remembered(let error):
            return .remembered(self.error(.status(error.status), load), until: error.until)
        case .transport: return .transport("no response", url: url)
        }
    }
}
#endif
