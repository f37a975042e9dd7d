#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

extension LoadError {
    /// Converts an error of AsyncHTTPClient or NIO.
    ///
    /// - Parameter url: The URL, already redacted.
    init(transportError error: any Error, url: String) {
        switch error {
        case let error as LoadError:
            self.init(error.code, url: error.url ?? url, error.message)
            (isTimeout, cause) = (error.isTimeout, error.cause)
        case is CancellationError:
            self = .cancelled(url: url)
        case let error as AsyncHTTPClientHeadHandler.ResponseLost:
            let when =
                error.hasStarted ? "while the response head was received" : "before the first byte of the response"
            self = .transport("connection lost \(when): \(error.reason)", url: url)
        case let error as AsyncHTTPClientHeadHandler.LimitExceeded:
            self = .transport(error.reason, url: url)
        case let error as HTTPClientError:
            self = Self.of(error, url: url)
        case let error as NIOSSLError:
            self = Self.of(error, url: url)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            let host = Origin(url).map { "it is not valid for \($0.host)" } ?? "it is not valid for this host"
            self = .tls("certificate not trusted: name mismatch: \(host)", url: url)
        case let error as NIOSSLExtraError:
            self = .tls("TLS handshake failed: \(error.description)", url: url)
        case let error as NIOConnectionError:
            let errors = error.connectionErrors.map(\.error) + [error.dnsAError, error.dnsAAAAError].compactMap(\.self)
            var reasons: [String] = []
            for reason in errors.map(Self.reason) where !reasons.contains(reason) { reasons.append(reason) }
            self = .transport("connection failed: \(reasons.joined(separator: "; "))", url: url)
        case let error as IOError:
            self = .transport(Self.reason(error), url: url)
        case is AsyncHTTPClientStreamHandler.ExcludedByGoAway:
            self = .transport("the server did not process the HTTP/2 stream, according to its GOAWAY frame", url: url)
        case let error as NIOHTTP2Errors.StreamClosed:
            self = .transport("HTTP/2 stream closed: \(error.errorCode)", url: url)
        default:
            self = .transport("\(error)", url: url)
        }
    }

    /// Returns the reason of a connection failure. NIO describes a refused connection as reset and adds the system's
    /// message only in parentheses.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: "\(System.message(ofError: error.errnoCode)) (errno \(error.errnoCode))"
        case SocketAddressError.unknown: "unknown host name"
        default: "\(error)"
        }
    }

    private static func of(_ error: HTTPClientError, url: String) -> Self {
        switch error {
        // Not the caller's cancellation, which is a CancellationError here.
        case .cancelled: .transport("the HTTP client was shut down", url: url)
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .alreadyShutdown, .invalidProxyConfiguration,
            .traceRequestWithBody:
            .configuration("\(error)", at: url)
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .transport("connect timeout exceeded", url: url, isTimeout: true)
        case .deadlineExceeded: .transport("total timeout exceeded", url: url, isTimeout: true)
        case .remoteConnectionClosed: .transport("connection closed by the server", url: url)
        // The description names the invalid field and may contain its secret value, so it is not copied.
        case let error where error.description.contains("invalidHeaderField"):
            .configuration(
                "invalid header field: its name is not a token, or its value contains a control character", at: url)
        default: .transport("\(error)", url: url)
        }
    }

    private static func of(_ error: NIOSSLError, url: String) -> Self {
        switch error {
        case .handshakeFailed(.sslError(let reasons)) where reasons.contains(.eofDuringHandshake):
            .transport("connection closed during the TLS handshake", url: url)
        case .noCertificateToValidate: .tls("certificate not trusted: the server sent no certificate", url: url)
        case let error where isRejectedCertificate(error): .tls("certificate not trusted", url: url)
        case .unableToValidateCertificate: .tls("certificate not trusted", url: url)
        case .handshakeFailed(.sslError(let reasons)), .handshakeFailed(.unknownError(let reasons)):
            .tls("TLS handshake failed: \(Self.text(of: reasons))", url: url)
        default: .transport("\(error)", url: url)
        }
    }

    /// Returns true when certificate verification failed, for a reason that the library does not report.
    static func isRejectedCertificate(_ error: any Error) -> Bool {
        guard case .handshakeFailed(.sslError(let reasons))? = error as? NIOSSLError else { return false }
        return reasons.contains { name(of: $0) == "CERTIFICATE_VERIFY_FAILED" }
    }

    /// Returns BoringSSL's error names as words: `wrong version number`.
    private static func text(of reasons: [BoringSSLInternalError]) -> String {
        var names: [String] = []
        for name in reasons.map({ name(of: $0)?.replacing("_", with: " ").lowercased() ?? "unknown reason" })
        where !names.contains(name) { names.append(name) }
        return names.isEmpty ? "unknown reason" : names.joined(separator: ", ")
    }

    /// Returns NAME of `Error: 1 error:2:SSL routines:OPENSSL_internal:NAME at PATH:3`, where PATH is a source path on
    /// the build machine; nil for another format.
    private static func name(of reason: BoringSSLInternalError) -> String? {
        let text = reason.description
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = text[mark.upperBound...].prefix { $0 == "_" || $0.isLetter || $0.isNumber }
        return name.isEmpty ? nil : String(name)
    }

    private static func configuration(_ message: String, at url: String) -> Self {
        Self(.configuration, url: url, message)
    }
}
#endif
