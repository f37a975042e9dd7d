#if Service
import PlatformImage
import PlatformImageLoader

/// Why a request got no picture: what a client is told, with no address and no path of ours in it.
public struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status, 400 to 599.
    public let status: Int
    /// What went wrong; branch on this.
    public let reason: Reason
    /// One line of English for the body and the log, without addresses, paths and control characters.
    public let message: String
    /// Seconds after which a repetition may succeed; nil when nothing is known about that.
    public let retryAfter: Int?

    /// An error with the status that is usual for its reason, or another one.
    public init(_ reason: Reason, status: Int? = nil, retryAfter: Int? = nil, _ message: String) {
        self.status = status ?? reason.usualStatus
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }

    /// `status reason: message`.
    public var description: String { "\(status) \(reason.rawValue): \(message)" }

    /// A target that no dialect can read.
    static func malformed(_ message: String) -> Self { Self(.malformed, message) }
}

extension ServiceError {
    /// A closed set: the names stand in answers, logs and metrics.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The target, or a number in it, is not what a dialect says.
        case malformed
        /// No key verifies the signature.
        case badSignature
        /// `unsafe` stands where a signature must.
        case unsafeNotAllowed
        /// The target has a query.
        case queryRefused
        /// The target is longer than 8 kB.
        case targetTooLong
        /// The host of the source is not on the list.
        case hostRefused
        /// The port of the source is not on the list.
        case portRefused
        /// The scheme of the source is neither http nor https, or a redirect gave up https.
        case schemeRefused
        /// The address of the source is blocked.
        case addressRefused
        /// There is no such source.
        case notFound
        /// The body or the source has more bytes than allowed.
        case tooLarge
        /// The source is no picture, or none that can be decoded.
        case notAnImage
        /// Pixels, frames, memory or the size of the result are over a limit.
        case limit
        /// The queue is full, or too slow for the deadline.
        case overloaded
        /// The service is about to stop.
        case draining
        /// One client asks for too many new renders.
        case clientLimit
        /// The origin refused, broke off or answered with an error.
        case originFailed
        /// The origin was too slow.
        case originTimeout
        /// The service was too slow.
        case deadline
        /// Neither GET nor HEAD, nor POST where it has a meaning.
        case methodNotAllowed
        /// A fault of the service itself.
        case internalFault

        /// The status of an error with this reason, unless another one is given.
        public var usualStatus: Int {
            switch self {
            case .malformed, .badSignature, .unsafeNotAllowed, .queryRefused: 400
            case .hostRefused, .portRefused, .schemeRefused, .addressRefused: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .tooLarge: 413
            case .targetTooLong: 414
            case .notAnImage: 415
            case .limit: 422
            case .clientLimit: 429
            case .internalFault: 500
            case .originFailed: 502
            case .overloaded, .draining: 503
            case .originTimeout, .deadline: 504
            }
        }
    }
}

extension ServiceError {
    /// What a load that failed means to a client (SERVICE.md 2.4).
    init(_ error: LoadError) {
        if let cause = error.cause as? ServiceError {
            self = cause
            return
        }
        switch error.original ?? error.code {
        case .http where error.statusCode == 404 || error.statusCode == 410:
            self.init(.notFound, "the origin has no such picture")
        case .http, .unexpectedStatus:
            self.init(.originFailed, "the origin answered with the status \(error.statusCode ?? 0)")
        case .transport where error.isTimeout: self.init(.originTimeout, "the origin did not answer in time")
        case .transport: self.init(.originFailed, "the origin could not be reached, or broke off")
        case .tls: self.init(.originFailed, "the origin's certificate was refused")
        case .redirect: self.init(.originFailed, "the origin's redirects lead nowhere")
        case .refused: self.init(.addressRefused, "the host's address is not a public one")
        case .bodyTooLarge: self.init(.tooLarge, "the source has more bytes than allowed")
        case .unacceptableContentType, .undecodable, .unsupportedFormat:
            self.init(.notAnImage, "the source is no picture that can be decoded")
        case .pixelLimit: self.init(.limit, "the source is over the limits of a picture")
        case .invalidURL: self.init(.malformed, "the source is no address")
        case .unsupportedScheme: self.init(.schemeRefused, "the source is neither http nor https")
        case .cancelled: self.init(.deadline, "the time for the request ran out")
        case .notInCache: self.init(.originFailed, "the source is not stored, and the origin is not to be asked")
        default: self.init(.internalFault, "the source could not be loaded")
        }
    }
}

extension ServiceError {
    /// What a client is told when there is no picture.
    init(_ error: DecodeError) {
        switch error.code {
        case .limitExceeded where error.detail == "deadline":
            self.init(.deadline, "the deadline passed while the picture was made")
        case .limitExceeded:
            self.init(.limit, "the source is over the limit \(error.detail ?? "of the decoder")")
        case .cancelled: self.init(.deadline, "the work was cancelled")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "there is no memory left")
        case .invalidArgument: self.init(.malformed, error.message)
        case .emptyCrop: self.init(.malformed, "the region lies outside the picture")
        case .unsupported: self.init(.notAnImage, "\(error.detail ?? "this kind of picture") is not supported")
        case .internal: self.init(.internalFault, "the decoder failed")
        default: self.init(.notAnImage, "the source is not a picture that can be decoded (\(error.code))")
        }
    }

    /// What a client is told when the picture cannot be written.
    init(_ error: EncodeError) {
        switch error.code {
        case .cancelled: self.init(.deadline, "the work was cancelled")
        case .deadlinePassed: self.init(.deadline, "the deadline passed while the picture was written")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "there is no memory left")
        case .invalidArgument: self.init(.malformed, error.message)
        case .tooLarge: self.init(.limit, "\(error.format.rawValue) has no room for so many pixels")
        default: self.init(.internalFault, "the encoder failed")
        }
    }
}
#endif
