internal import PlatformImage

extension LoadError {
    /// The error of a load whose body does not decode.
    ///
    /// - Parameter url: The URL, not redacted.
    init(_ error: DecodeError, at url: String) {
        let url = Redaction.masked(url)
        let code: Code
        switch error.code {
        case .cancelled:
            self = .cancelled(url: url)
            return
        case .unsupported: code = .unsupportedFormat
        case .limitExceeded: code = .pixelLimit
        // The decode options of the request are invalid; that must not be cached as a failure of the URL.
        case .invalidArgument: code = .configuration
        // The image is valid: the body stays in the caches.
        case .emptyCrop, .processorFailed: code = .processing
        // The image can be valid: another decode of the same body can succeed.
        case .workerUnavailable: code = .processing
        case .crashed where error.isUnrelatedToInput: code = .processing
        default: code = .undecodable
        }
        self.init(code, url: url, decodeError: error, error.message)
    }

    /// The failure that a stale image replaces.
    init(_ failure: StaleReason, of load: Load) {
        let url = Redaction.masked(load.url)
        switch failure {
        case .status(let status): self.init(.http, url: url, statusCode: status, "status \(status)")
        case .remembered(let error): self = .remembered(Self(.status(error.status), of: load), until: error.until)
        case .transport: self = .transport("no response", url: url)
        }
    }

    /// At most 40 characters of a name that the origin sent, with `?` for control and non-ASCII characters.
    static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(40).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }

    /// The error of a load whose content codings cannot be decoded.
    init(_ error: ContentCodingError, url: String, limit: Int) {
        switch error {
        case .unknown(let name):
            self.init(.undecodable, url: url, "the content coding is not supported: \(Self.printable(name))")
        case .damaged(let reason): self.init(.undecodable, url: url, "the content-coded body is invalid: \(reason)")
        case .truncated: self.init(.undecodable, url: url, "the content-coded body is truncated")
        case .tooLarge: self.init(.bodyTooLarge, url: url, "the body is larger than \(limit) bytes")
        }
    }
}
