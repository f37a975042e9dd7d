import PlatformImage
import PlatformImageLoader

/// Error response to a request. It contains no addresses and paths of the service.
public struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status, 400 to 599.
    public let status: Int
    /// The reason of the failure; use this in conditions.
    public let reason: Reason
    /// One line of English for the body and the log, without addresses, paths and control characters.
    public let message: String
    /// Seconds after which a retry may succeed; nil when not known.
    public let retryAfter: Int?
    /// Stable name of the cause, such as `connectionRefused`: that of a ``LoadError/TransportReason``, of a
    /// ``LoadError/Code`` or of a `DecodeError.Code`. Without a more precise cause, the name of ``reason``.
    public let code: String
    /// One line of English about this occurrence for the body and the log, with the restrictions of ``message``; nil
    /// for none.
    public let detail: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: HTTP status; nil for the usual status of the reason.
    ///   - code: Stable name of the cause; nil for the name of the reason.
    ///   - detail: One line of English about this occurrence; nil for none.
    public init(
        _ reason: Reason, status: Int? = nil, retryAfter: Int? = nil, code: String? = nil, detail: String? = nil,
        _ message: String
    ) {
        self.status = status ?? reason.defaultStatus
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
        self.code = code ?? reason.rawValue
        self.detail = detail
    }

    /// `status reason: message`.
    public var description: String { "\(status) \(reason.rawValue): \(message)" }

    /// Creates an error for an invalid target.
    static func malformed(_ message: String) -> Self { Self(.malformed, message) }
}

extension ServiceError {
    /// Reasons of failures. The raw values appear in responses, logs and metrics.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The target does not match the grammar of its dialect, or a number in it is out of range.
        case malformed
        /// No key verifies the signature.
        case badSignature
        /// The target begins with `unsafe`, but must be signed.
        case unsafeNotAllowed
        /// The target has a query, which its dialect or the configuration does not allow.
        case queryRefused
        /// The target is longer than the configured limit `server.targetBytes`, which is at most 8,192 bytes.
        case targetTooLong
        /// The host of the source is not allowed.
        case hostRefused
        /// The port of the source is not allowed.
        case portRefused
        /// The scheme of the source is neither http nor https, or a redirect leads from https to http.
        case schemeRefused
        /// The IP address of the source is blocked.
        case addressRefused
        /// The source does not exist.
        case notFound
        /// The body or the source has more bytes than allowed.
        case tooLarge
        /// The source is not an image, or cannot be decoded.
        case notAnImage
        /// Pixels, frames, memory or the size of the result are over a limit.
        case limit
        /// The queue is full, the expected wait exceeds a limit, not enough memory is free, or no decode worker is
        /// available.
        case overloaded
        /// The service is shutting down.
        case draining
        /// A client requested too many new renders.
        case clientLimit
        /// The connection to the origin failed, or the origin responded with an error or an invalid redirect.
        case originFailed
        /// The origin timed out.
        case originTimeout
        /// The deadline of the request or the time limit of a decode worker passed, or the request was cancelled.
        case deadline
        /// The method of the request is not supported.
        case methodNotAllowed
        /// An internal error of the service.
        case internalFault

        /// Default HTTP status of the reason.
        public var defaultStatus: Int {
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
    /// Converts an error of the loader (Docs/service-rules.md 2.4).
    init(_ error: LoadError) {
        if let cause = error.cause as? ServiceError {
            self = cause
            return
        }
        let code = error.reason?.description ?? (error.original ?? error.code).description
        let detail = error.reason.flatMap { OriginFailure.description(of: $0, error.message) }
        switch error.original ?? error.code {
        case .http where error.statusCode == 404 || error.statusCode == 410:
            self.init(.notFound, code: code, "the origin responded with the status \(error.statusCode ?? 404)")
        case .http, .unexpectedStatus:
            self.init(
                .originFailed, code: code, "the origin responded with the status \(error.statusCode ?? 0)")
        case .transport where error.isTimeout:
            self.init(.originTimeout, code: code, detail: detail, "the fetch of the source timed out")
        case .transport:
            self.init(
                .originFailed, code: code, detail: detail, "the connection to the origin failed or was closed early")
        case .tls:
            self.init(
                .originFailed, code: code, detail: detail,
                "the TLS handshake with the origin failed, or its certificate was rejected")
        case .redirect:
            self.init(
                .originFailed, code: code,
                "the origin sent an invalid redirect or more redirects than source.redirects")
        case .refused:
            self.init(
                .addressRefused, detail: "source.allowCIDR permits addresses that are not public",
                "the IP address of the source's host is not public")
        case .bodyTooLarge: self.init(.tooLarge, code: code, "the source is larger than limits.sourceBytes")
        case .unacceptableContentType, .undecodable, .unsupportedFormat:
            self.init(.notAnImage, code: code, "the source is not an image that can be decoded")
        case .pixelLimit: self.init(.limit, "the source exceeds a limit of the decoder")
        case .invalidURL: self.init(.malformed, "the source is not a valid URL")
        case .unsupportedScheme: self.init(.schemeRefused, "the source's scheme is not http or https")
        case .cancelled: self.init(.deadline, "the request was cancelled or its deadline passed")
        case .notInCache: self.init(.originFailed, "the source is not cached, and the origin must not be contacted")
        default: self.init(.internalFault, "the source could not be loaded")
        }
    }
}

/// Descriptions of failed exchanges with origins, without addresses and host names.
private enum OriginFailure {
    /// Returns a description; nil for a reason without one.
    ///
    /// - Parameter message: That of the error.
    static func description(of reason: LoadError.TransportReason, _ message: String) -> String? {
        switch reason {
        case .unknownHost: "the DNS lookup found no IP address of the source's host"
        case .connectionRefused: "the origin refused the connection"
        case .unreachable: "there is no route to the origin"
        case .connectionFailed: "no connection to the origin was made"
        case .connectTimeout: "the connection was not established within source.connectTimeout"
        case .idleTimeout: "the origin sent no byte within source.firstByte"
        case .totalTimeout: "the fetch was not complete within source.timeout"
        case .closedBeforeResponse: "the origin closed the connection before its response"
        case .closedInHead: "the origin closed the connection in the head of its response"
        case .truncatedBody: "the origin closed the connection before the end of the body"
        case .streamRefused, .streamReset: "the origin reset the HTTP/2 stream"
        case .invalidHead: "the head of the origin's response is not valid HTTP"
        case .invalidFraming: "the framing of the origin's response is invalid"
        case .headTooLarge, .tooManyHeads, .framingTooLarge: "the origin's response exceeds a limit for HTTP heads"
        case .unexpectedUpgrade, .protocolViolation: "the origin violated the protocol"
        case .certificateExpired: "the origin's certificate has expired"
        case .certificateNotYetValid: "the origin's certificate is not valid yet"
        case .certificateSelfSigned: "the origin's certificate is self-signed and not trusted"
        case .certificateUnknownIssuer: "the issuer of the origin's certificate is not trusted"
        case .certificateNameMismatch: "the origin's certificate is valid for other hosts"
        case .certificateRejected: "the origin's certificate is not trusted"
        // The message ends with words of the TLS library, such as `wrong version number`.
        case .handshakeFailed: message
        default: nil
        }
    }
}

extension ServiceError {
    /// Configuration keys of the decoder's limits.
    private static let limitNames = [
        "maxPixels": "limits.sourcePixels", "maxInputBytes": "limits.sourceBytes", "maxWork": "limits.work",
    ]

    /// Converts an error of the decoder.
    init(_ error: DecodeError) {
        let code = error.code.description
        switch error.code {
        case .limitExceeded where error.detail == "deadline":
            self.init(.deadline, "the deadline passed during the render")
        case .limitExceeded:
            let name = error.detail.map { Self.limitNames[$0] ?? $0 } ?? "of the decoder"
            self.init(.limit, code: code, "the source exceeds the limit \(name)")
        case .cancelled: self.init(.deadline, "the render was cancelled")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "out of memory")
        case .workerUnavailable:
            self.init(.overloaded, retryAfter: 1, code: code, "no decode worker is available")
        case .crashed where error.isUnrelatedToInput:
            self.init(.overloaded, retryAfter: 1, code: code, "the decode worker was ended by another program")
        case .timedOut: self.init(.deadline, code: code, "the decode exceeded the time limit of a decode worker")
        case .invalidArgument: self.init(.malformed, error.message)
        case .emptyCrop: self.init(.malformed, "the region is outside the image")
        case .unsupported:
            self.init(
                .notAnImage, code: code, detail: SourceContent.unsupported(error.detail ?? "unknown", error.format),
                "unsupported image format or feature: \(error.detail ?? "unknown")")
        case .internal: self.init(.internalFault, "internal error of the decoder")
        case .malformed, .truncated:
            let format = error.format.map { "\($0.rawValue) file" } ?? "image"
            let fault = error.code == .malformed ? "its data is invalid" : "its data ends too early"
            self.init(
                .notAnImage, code: code, detail: "found: a damaged \(format); \(fault)",
                "the source is not an image that can be decoded (\(error.code))")
        default:
            self.init(.notAnImage, code: code, "the source is not an image that can be decoded (\(error.code))")
        }
    }

    /// Converts an error of the encoder.
    init(_ error: EncodeError) {
        switch error.code {
        case .cancelled: self.init(.deadline, "the render was cancelled")
        case .deadlinePassed: self.init(.deadline, "the deadline passed during encoding")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "out of memory")
        case .invalidArgument: self.init(.malformed, error.message)
        case .tooLarge: self.init(.limit, "a side of the result is longer than \(error.format.rawValue) supports")
        default: self.init(.internalFault, "internal error of the encoder")
        }
    }
}
