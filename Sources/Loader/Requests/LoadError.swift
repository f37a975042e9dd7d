#if Loader
public import PlatformImage

/// Why a load gave no image. Errors are equal when their codes are equal.
public struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure; branch on this.
    public let code: Code
    /// The address, without user information and with its query cut; nil when there was none.
    public let url: String?
    /// The origin's status: of `http`, `unexpectedStatus` and of what is `remembered`; nil for others.
    public let statusCode: Int?
    /// The `Retry-After` of an `http` error, counted from the response; nil when the origin gave none.
    public let retryAfter: Duration?
    /// What a `remembered` error was when it came; nil for others.
    public let original: Code?
    /// Until when a `remembered` error is answered without asking; nil for others.
    public let until: WallTime?
    /// The decoder's error, of `undecodable`, `unsupportedFormat` and `pixelLimit`; nil for others.
    public let decodeError: DecodeError?
    /// The response that the error is about: of `http`, `unexpectedStatus`, `unacceptableContentType`, `bodyTooLarge`,
    /// `redirect`, of what could not be decoded, and of `remembered` where it is known; nil for others.
    public let response: FailedResponse?
    /// One line of English for a log: what was found and what was expected.
    public let message: String
    /// True when time ran out: for a connection, for a byte, or for the whole exchange.
    public internal(set) var isTimeout = false
    /// What a transport of the host's own says of the failure in its own type; nil for others. It is not cleaned of
    /// secrets, as ``message`` is.
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
    ///   - message: As in ``message``.
    ///   - url: As in ``url``.
    ///   - isTimeout: As in ``isTimeout``.
    ///   - cause: As in ``cause``.
    public static func transport(
        _ message: String, url: String? = nil, isTimeout: Bool = false, cause: (any Error)? = nil
    ) -> Self {
        var error = Self(.transport, url: url, message)
        error.isTimeout = isTimeout
        error.cause = cause
        return error
    }
    /// A request that a transport of the host's own does not let out, or a response that it does not let in.
    ///
    /// - Parameters:
    ///   - message: As in ``message``.
    ///   - cause: As in ``cause``.
    public static func refused(_ message: String, cause: (any Error)? = nil) -> Self {
        var error = Self(.refused, message)
        error.cause = cause
        return error
    }
    /// A certificate or a handshake that was refused.
    public static func tls(_ message: String, url: String? = nil) -> Self { Self(.tls, url: url, message) }
    /// A setting that cannot be honoured.
    public static func configuration(_ message: String) -> Self { Self(.configuration, message) }
    /// A response of more bytes than allowed.
    public static func bodyTooLarge(_ message: String) -> Self { Self(.bodyTooLarge, message) }
    /// The caller gave up.
    public static func cancelled(url: String? = nil) -> Self { Self(.cancelled, url: url, "cancelled") }
    /// An error that is answered once more without asking the origin.
    static func remembered(_ error: LoadError, until: WallTime) -> Self {
        Self(
            .remembered, url: error.url, statusCode: error.statusCode, original: error.original ?? error.code,
            until: until, decodeError: error.decodeError, response: error.response,
            "not asked again yet: \(error.message)")
    }

    /// True for what no repetition can change: also 4xx but 408, 425 and 429.
    public var isFatal: Bool {
        // What is remembered is as fatal as it was.
        switch original ?? code {
        case .transport, .cancelled: false
        case .http: statusCode.map { (400..<500).contains($0) && ![408, 425, 429].contains($0) } ?? true
        case .remembered: statusCode.map { (400..<500).contains($0) && ![408, 425, 429].contains($0) } ?? false
        default: true
        }
    }

    /// True when the load may be tried again within its retry policy.
    public var isRetryable: Bool { (code == .transport || code == .http) && !isFatal }

    /// `code status: message (url)`.
    public var description: String {
        "\(code)\(statusCode.map { " \($0)" } ?? ""): \(message)\(url.map { " (\($0))" } ?? "")"
    }

    /// True when the codes are equal.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// What kind of failure; more may be added, so switch over it with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `bodyTooLarge`.
        public let description: String

        /// No address, or one that does not parse.
        public static var invalidURL: Self { Self(description: "invalidURL") }
        /// Neither http nor https.
        public static var unsupportedScheme: Self { Self(description: "unsupportedScheme") }
        /// A setting that the loader or its transport cannot honour, or decode options out of their range.
        public static var configuration: Self { Self(description: "configuration") }
        /// The cache alone was asked, and has nothing usable.
        public static var notInCache: Self { Self(description: "notInCache") }
        /// The origin is not asked again until ``LoadError/until``.
        public static var remembered: Self { Self(description: "remembered") }
        /// No connection, a reset, a timeout, a body cut short, broken framing.
        public static var transport: Self { Self(description: "transport") }
        /// Against the rules of the host's own transport; never tried again.
        public static var refused: Self { Self(description: "refused") }
        /// A certificate or a handshake that was refused.
        public static var tls: Self { Self(description: "tls") }
        /// Status 400...599.
        public static var http: Self { Self(description: "http") }
        /// A status that is neither success nor error, such as an unfollowed redirect.
        public static var unexpectedStatus: Self { Self(description: "unexpectedStatus") }
        /// A loop, too many hops, a bad Location, another scheme.
        public static var redirect: Self { Self(description: "redirect") }
        /// A content type that is not accepted.
        public static var unacceptableContentType: Self { Self(description: "unacceptableContentType") }
        /// More bytes than allowed.
        public static var bodyTooLarge: Self { Self(description: "bodyTooLarge") }
        /// No picture could be made of the body.
        public static var undecodable: Self { Self(description: "undecodable") }
        /// A format that is recognised and not decoded.
        public static var unsupportedFormat: Self { Self(description: "unsupportedFormat") }
        /// More pixels or decoded bytes than allowed.
        public static var pixelLimit: Self { Self(description: "pixelLimit") }
        /// The caller gave up.
        public static var cancelled: Self { Self(description: "cancelled") }
    }
}

extension LoadError {
    /// The same error with the response that it is about; as it was when it has one or there is none.
    func about(_ response: FailedResponse?) -> LoadError {
        guard self.response == nil, let response else { return self }
        return with(response)
    }

    /// The same error without the response's body: what is remembered takes little memory.
    var withoutBody: LoadError { response.map { with($0.withoutBody) } ?? self }

    private func with(_ response: FailedResponse) -> LoadError {
        var error = LoadError(
            code, url: url, statusCode: statusCode, retryAfter: retryAfter, original: original, until: until,
            decodeError: decodeError, response: response, message)
        error.isTimeout = isTimeout
        error.cause = cause
        return error
    }
}

extension LoadError: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children: the response may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
