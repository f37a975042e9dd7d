public import PlatformImage

/// The error of a failed load. Errors are equal when their codes are equal.
public struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; branch on this.
    public let code: Code
    /// The URL without user information and with its query hidden; nil when there was none.
    public let url: String?
    /// HTTP status of an `http` or `unexpectedStatus` error, and of a `remembered` error that repeats one of these; nil
    /// for other errors.
    public let statusCode: Int?
    /// Delay that `Retry-After` of an `http` error requests, from the time of the response; nil without the field.
    public let retryAfter: Duration?
    /// Code of the failure that a `remembered` error repeats; nil for other codes.
    public let original: Code?
    /// End of the time in which a `remembered` error is returned without a request; nil for other codes.
    public let until: WallTime?
    /// The error of the image decoder, if it caused the failure or the original failure of a `remembered` error; nil
    /// otherwise.
    public let decodeError: DecodeError?
    /// The response that caused the error, for `http`, `unexpectedStatus`, `unacceptableContentType`, `bodyTooLarge`,
    /// `redirect`, decoding failures, and `remembered` where it is known; nil for other codes.
    public let response: FailedResponse?
    /// One line of English for a log: the value that was found and the value that was expected.
    public let message: String
    /// True for a timeout while connecting, on an idle connection, or of the complete exchange.
    public internal(set) var isTimeout = false
    /// The reason of a failed exchange; nil for other errors and for transports that report none.
    public internal(set) var reason: TransportReason?
    /// The underlying error of a custom transport; nil for any other error. Unlike ``message``, it may contain secrets
    /// of the request.
    public internal(set) var cause: (any Error)?

    init(
        _ code: Code, url: String? = nil, statusCode: Int? = nil, retryAfter: Duration? = nil, original: Code? = nil,
        until: WallTime? = nil, decodeError: DecodeError? = nil, response: FailedResponse? = nil, _ message: String
    ) {
        self.code = code
        self.url = url
        self.statusCode = statusCode
        self.retryAfter = retryAfter
        self.original = original
        self.until = until
        self.decodeError = decodeError
        self.response = response
        self.message = message
    }

    /// An error of a transport.
    ///
    /// - Parameters:
    ///   - message: One line of English for a log.
    ///   - url: The URL without user information and with its query hidden; nil for none.
    ///   - isTimeout: True for a timeout while connecting, on an idle connection, or of the complete exchange.
    ///   - cause: The underlying error; nil for none.
    public static func transport(
        _ message: String, url: String? = nil, isTimeout: Bool = false, cause: (any Error)? = nil
    ) -> Self {
        var error = Self(.transport, url: url, message)
        error.isTimeout = isTimeout
        error.cause = cause
        return error
    }
    /// A request or a response that the rules of a custom transport reject.
    ///
    /// - Parameters:
    ///   - message: One line of English for a log.
    ///   - cause: The underlying error; nil for none.
    public static func refused(_ message: String, cause: (any Error)? = nil) -> Self {
        var error = Self(.refused, message)
        error.cause = cause
        return error
    }
    /// A rejected certificate or a failed TLS handshake.
    public static func tls(_ message: String, url: String? = nil) -> Self { Self(.tls, url: url, message) }
    /// A setting that is not supported.
    public static func configuration(_ message: String) -> Self { Self(.configuration, message) }
    /// A response of more bytes than allowed.
    public static func bodyTooLarge(_ message: String) -> Self { Self(.bodyTooLarge, message) }
    /// A load that its caller cancelled.
    public static func cancelled(url: String? = nil) -> Self { Self(.cancelled, url: url, "cancelled") }
    /// A cached failure that is returned again without a request.
    static func remembered(_ error: LoadError, until: WallTime) -> Self {
        Self(
            .remembered, url: error.url, statusCode: error.statusCode, original: error.original ?? error.code,
            until: until, decodeError: error.decodeError, response: error.response,
            "cached failure, no request was sent: \(error.message)")
    }

    /// True when repeating the request cannot help. Network failures, cancellation, 5xx, 408, 425 and 429 are not
    /// fatal.
    public var isFatal: Bool {
        // A `remembered` error is fatal if the original error is.
        switch original ?? code {
        case .transport, .cancelled: false
        case .http: statusCode.map { (400..<500).contains($0) && ![408, 425, 429].contains($0) } ?? true
        case .remembered: statusCode.map { (400..<500).contains($0) && ![408, 425, 429].contains($0) } ?? false
        default: true
        }
    }

    /// True when the load's retry policy may repeat the request.
    public var isRetryable: Bool { (code == .transport || code == .http) && !isFatal }

    /// `code status: message (url)`.
    public var description: String {
        "\(code)\(statusCode.map { " \($0)" } ?? ""): \(message)\(url.map { " (\($0))" } ?? "")"
    }

    /// True when the codes are equal.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The kind of a failure; cases may be added, so switch over it with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `bodyTooLarge`.
        public let description: String

        /// The URL is missing or does not parse.
        public static var invalidURL: Self { Self(description: "invalidURL") }
        /// The scheme is neither http nor https.
        public static var unsupportedScheme: Self { Self(description: "unsupportedScheme") }
        /// The loader or its transport does not support a setting, or decode options are out of range.
        public static var configuration: Self { Self(description: "configuration") }
        /// A cache-only load found no usable entry.
        public static var notInCache: Self { Self(description: "notInCache") }
        /// An earlier failure is cached; no request is sent before ``LoadError/until``.
        public static var remembered: Self { Self(description: "remembered") }
        /// Connection failure, reset, timeout, truncated body or invalid message framing.
        public static var transport: Self { Self(description: "transport") }
        /// The rules of a transport, such as permitted IP addresses, reject the exchange; never retried.
        public static var refused: Self { Self(description: "refused") }
        /// Rejected certificate or failed TLS handshake.
        public static var tls: Self { Self(description: "tls") }
        /// HTTP status 400...599.
        public static var http: Self { Self(description: "http") }
        /// A status that is neither success nor error, such as a redirect that is not followed.
        public static var unexpectedStatus: Self { Self(description: "unexpectedStatus") }
        /// Redirect loop, too many redirects, invalid `Location`, or a scheme other than http and https.
        public static var redirect: Self { Self(description: "redirect") }
        /// The content type is not accepted.
        public static var unacceptableContentType: Self { Self(description: "unacceptableContentType") }
        /// The response has more bytes than allowed.
        public static var bodyTooLarge: Self { Self(description: "bodyTooLarge") }
        /// The body cannot be decoded.
        public static var undecodable: Self { Self(description: "undecodable") }
        /// The image was decoded, but the crop of the thumbnail contains no pixel of it, or a processor failed; or the
        /// image was not decoded, because no worker process of the decoder was available.
        public static var processing: Self { Self(description: "processing") }
        /// The image format is recognised but not supported.
        public static var unsupportedFormat: Self { Self(description: "unsupportedFormat") }
        /// The image has more pixels or decoded bytes than allowed.
        public static var pixelLimit: Self { Self(description: "pixelLimit") }
        /// The caller cancelled the load.
        public static var cancelled: Self { Self(description: "cancelled") }
    }
}

extension LoadError {
    /// The error with the response that caused it; unchanged when it already has one or `response` is nil.
    func withResponse(_ response: FailedResponse?) -> LoadError {
        guard self.response == nil, let response else { return self }
        return with(response)
    }

    /// The error without the response's body, so that cached failures use little memory.
    var withoutBody: LoadError { response.map { with($0.withoutBody) } ?? self }

    private func with(_ response: FailedResponse) -> LoadError {
        var error = LoadError(
            code, url: url, statusCode: statusCode, retryAfter: retryAfter, original: original, until: until,
            decodeError: decodeError, response: response, message)
        error.isTimeout = isTimeout
        error.reason = reason
        error.cause = cause
        return error
    }

    /// The error with a reason.
    func because(_ reason: TransportReason) -> LoadError {
        var error = self
        error.reason = reason
        return error
    }
}

extension LoadError: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// A mirror without children: the response may contain cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
