#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LoadError {
    /// What an error of AsyncHTTPClient or of NIO means to a load.
    ///
    /// - Parameter url: As it may be shown.
    init(transportError error: any Error, url: String) {
        switch error {
        case let error as LoadError:
            self.init(error.code, url: error.url ?? url, error.message)
            (isTimeout, cause) = (error.isTimeout, error.cause)
        case is CancellationError:
            self = .cancelled(url: url)
        case let error as AsyncHTTPClientHead.ReplyLost:
            let when = error.isBegun ? "within the head of the response" : "before the response"
            self = .transport("connection lost \(when): \(error.reason)", url: url)
        case let error as AsyncHTTPClientHead.TooMuch:
            self = .transport(error.reason, url: url)
        case let error as HTTPClientError:
            self = Self.of(error, url: url)
        case let error as NIOSSLError:
            self = Self.of(error, url: url)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .tls("the certificate is not for this host", url: url)
        case let error as NIOSSLExtraError:
            self = .tls("\(error)", url: url)
        case let error as NIOConnectionError:
            let errors = error.connectionErrors.map(\.error) + [error.dnsAError, error.dnsAAAAError].compactMap(\.self)
            var reasons: [String] = []
            for reason in errors.map(Self.reason) where !reasons.contains(reason) { reasons.append(reason) }
            self = .transport("no connection: \(reasons.joined(separator: "; "))", url: url)
        case let error as IOError:
            self = .transport(Self.reason(error), url: url)
        case is AsyncHTTPClientStream.LeftOut:
            self = .transport("stream left out by GOAWAY", url: url)
        case let error as NIOHTTP2Errors.StreamClosed:
            self = .transport("stream closed: \(error.errorCode)", url: url)
        default:
            self = .transport("\(error)", url: url)
        }
    }

    /// Why there is no connection, or no more bytes: NIO calls a refused connection a reset one in words, and has the
    /// system's only in brackets behind them.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: "\(String(cString: strerror(error.errnoCode))) (errno \(error.errnoCode))"
        case SocketAddressError.unknown: "the host's name is not known"
        default: "\(error)"
        }
    }

    private static func of(_ error: HTTPClientError, url: String) -> Self {
        switch error {
        // Not by the caller, whose cancelling is a CancellationError here.
        case .cancelled: .transport("cancelled by the client, which was shut down", url: url)
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .alreadyShutdown, .invalidProxyConfiguration,
            .traceRequestWithBody:
            .configuration("\(error)", at: url)
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .transport("no connection in time", url: url, isTimeout: true)
        case .deadlineExceeded: .transport("not complete in time", url: url, isTimeout: true)
        case .remoteConnectionClosed: .transport("connection closed by the server", url: url)
        // Which it is stands in the error, and with it what it may be that nobody is to see.
        case let error where error.description.contains("invalidHeaderField"):
            .configuration(
                "a field cannot be sent: its name is no token, or its value has a control character", at: url)
        default: .transport("\(error)", url: url)
        }
    }

    private static func of(_ error: NIOSSLError, url: String) -> Self {
        switch error {
        case .handshakeFailed(.sslError(let reasons)) where reasons.contains(.eofDuringHandshake):
            .transport("connection closed during the handshake", url: url)
        case .handshakeFailed(.sslError), .handshakeFailed(.unknownError), .noCertificateToValidate,
            .unableToValidateCertificate:
            .tls("certificate or handshake refused: \(error)", url: url)
        default: .transport("\(error)", url: url)
        }
    }

    private static func configuration(_ message: String, at url: String) -> Self {
        Self(.configuration, url: url, message)
    }
}
#endif
