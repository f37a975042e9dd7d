internal import CPlatformImageCurl
internal import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LoadError {
    /// Converts the error of an exchange, and adds the URL.
    ///
    /// - Parameter url: The URL, not redacted.
    init(curlError error: any Error, url: String) {
        let url = Redaction.masked(url)
        guard let error = error as? LoadError else {
            self = error is CancellationError ? .cancelled(url: url) : .transport("\(error)", url: url)
            return
        }
        self.init(error.code, url: error.url ?? url, error.message)
        (isTimeout, reason, cause) = (error.isTimeout, error.reason, error.cause)
    }

    init(_ violation: MessageViolation) {
        self = .transport(violation.message).because(violation.reason)
    }

    /// The connection or the HTTP/2 stream ended too early.
    static func lost(_ reason: TransportReason, _ detail: String = "connection closed") -> Self {
        let message =
            switch reason {
            case .closedBeforeResponse: "connection lost before the first byte of the response: \(detail)"
            case .closedInHead: "connection lost while the response head was received: \(detail)"
            case .streamRefused: "the server did not process the HTTP/2 stream"
            default: "the response body is truncated: \(detail)"
            }
        return Self.transport(message).because(reason)
    }

    static var totalTimeout: Self { timeout("total timeout exceeded", .totalTimeout) }

    /// - Parameter idle: The limit in nanoseconds.
    static func idleTimeout(_ idle: Int64) -> Self {
        timeout("idle timeout exceeded: no byte for \(Double(idle) / 1e9) s", .idleTimeout)
    }

    private static func timeout(_ message: String, _ reason: TransportReason) -> Self {
        Self.transport(message, isTimeout: true).because(reason)
    }

    /// Describes the failure of a transfer.
    ///
    /// - Parameter code: The code of libcurl, other than 0.
    init(curlCode code: Int32, _ transfer: CurlTransfer) {
        if let failure = transfer.failure {
            self = failure
            return
        }
        let details = picu_transfer_failure(transfer.handle)
        let text = details.message.map { String(cString: $0) } ?? ""
        if details.is_sent || transfer.isSent {
            self = Self.afterSending(code, text, transfer)
        } else {
            self = Self.beforeSending(code, text, details, transfer)
        }
    }

    private static func afterSending(_ code: Int32, _ text: String, _ transfer: CurlTransfer) -> Self {
        let parser = transfer.parser
        let early: TransportReason =
            parser.isComplete ? .truncatedBody : parser.byteCount > 0 ? .closedInHead : .closedBeforeResponse
        switch code {
        case 8 where text.contains("Content-Length"):
            return transport("Content-Length is not one decimal number").because(.invalidFraming)
        case 1, 8, 43: return transport("the server's response is not valid HTTP").because(.invalidHead)
        case 56 where text.contains("chunked-encoding"):
            return transport("invalid chunked coding").because(.invalidFraming)
        // A field line that is longer than libcurl's buffer.
        case 27 where !parser.isComplete, 100:
            return transport("a line of the response head is too long").because(.headTooLarge)
        case 61: return transport("Transfer-Encoding is not chunked").because(.invalidFraming)
        case 16 where early == .closedBeforeResponse: return lost(.streamRefused)
        case 92:
            let detail = text.contains("REFUSED_STREAM") ? TransportReason.streamRefused : .streamReset
            return transport("HTTP/2 stream reset by the server").because(detail)
        case 16: return transport("the server violated the rules of HTTP/2").because(.protocolViolation)
        default: return lost(early, reasonOfLoss(code))
        }
    }

    private static func reasonOfLoss(_ code: Int32) -> String {
        switch code {
        case 18, 52: "connection closed"
        case 55: "the request cannot be sent"
        case 56: "the connection failed"
        default: "libcurl error \(code)"
        }
    }

    private static func beforeSending(
        _ code: Int32, _ text: String, _ details: picu_failure, _ transfer: CurlTransfer
    ) -> Self {
        let usesProxy = transfer.request?.proxy != nil
        switch code {
        case 3: return configuration("the URL is not valid")
        case 5, 97: return transport("the proxy cannot be reached or refused the connection").because(.proxyFailed)
        case 6: return transport("connection failed: unknown host name").because(.unknownHost)
        case 7 where usesProxy:
            return transport("no connection to the proxy: \(connectionFailed(details.error_number).message)")
                .because(.proxyFailed)
        case 7: return connectionFailed(details.error_number)
        case 28: return timeout("connect timeout exceeded", .connectTimeout)
        case 35: return handshakeFailed(text)
        case 60: return rejectedCertificate(details.verify_result, transfer)
        case _ where usesProxy && [52, 55, 56].contains(code):
            return transport("the proxy did not open a tunnel").because(.proxyFailed)
        case 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 90, 91, 98:
            return tls("TLS handshake failed: libcurl error \(code)").because(.handshakeFailed)
        case 52, 55, 56: return lost(.closedBeforeResponse)
        default: return transport("libcurl error \(code)").because(.connectionFailed)
        }
    }

    private static func connectionFailed(_ number: Int) -> Self {
        guard number > 0, let number = Int32(exactly: number) else {
            return transport("connection failed").because(.connectionFailed)
        }
        let reason: TransportReason =
            switch number {
            case ECONNREFUSED: .connectionRefused
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
            default: .connectionFailed
            }
        return transport("\(System.message(ofError: number)) (errno \(number))").because(reason)
    }

    private static func rejectedCertificate(_ result: Int, _ transfer: CurlTransfer) -> Self {
        let (cause, reason): (String, TransportReason) =
            switch result {
            case 10: ("expired", .certificateExpired)
            case 9: ("not yet valid", .certificateNotYetValid)
            case 18: ("self-signed", .certificateSelfSigned)
            case 2, 19, 20, 21: ("unknown issuer", .certificateUnknownIssuer)
            case 0, 1, 62, 64:
                ("name mismatch: it is not valid for \(transfer.hostName)", .certificateNameMismatch)
            default: (picu_verify_text(result).map { String(cString: $0) } ?? "", .certificateRejected)
            }
        return tls("certificate not trusted: \(cause)").because(reason)
    }

    /// - Parameter text: libcurl's text, such as `error:0A00010B:SSL routines::wrong version number`.
    private static func handshakeFailed(_ text: String) -> Self {
        if let mark = text.firstRange(of: "routines:"), let colon = text[mark.upperBound...].lastIndex(of: ":") {
            let words = text[text.index(after: colon)...].filter { $0 == " " || $0.isLetter || $0.isNumber }
            if words != "unexpected eof while reading", !words.isEmpty {
                return tls("TLS handshake failed: \(words)").because(.handshakeFailed)
            }
        }
        return transport("connection closed during the TLS handshake").because(.closedBeforeResponse)
    }
}
