internal import CPlatformImageCurl
import PlatformImage

/// A transport over libcurl: HTTP/1.1, and HTTP/2 when the server offers it by ALPN.
///
/// libcurl 7.76 or newer of the system is loaded when the first request is sent; without it, requests fail with
/// `configuration`. One thread, which starts with the first request, serves all requests of a transport.
///
/// A `GET` is retried once if the server refused its HTTP/2 stream (RFC 9113 §8.7, §6.8), or if a reused connection
/// closed before the first byte of a response (RFC 9112 §9.3.1). It is not retried after a failed attempt to connect or
/// a rejected certificate. Before version 7.80, libcurl itself repeats a `GET` on a reused connection that closed, up
/// to five times, and other methods always use a new connection.
///
/// Responses are checked strictly by RFC 9112 and RFC 9113: an invalid or truncated one is an error with a
/// ``LoadError/reason``. One case is not detectable: a body over TLS without Content-Length and without chunked coding
/// ends with the connection, and libcurl does not report whether the server ended TLS before (close_notify), so that an
/// attacker in the network can truncate such a body.
///
/// Field values of responses are the received bytes. Values to be sent must be UTF-8.
public final class CurlTransport: HTTPTransport {
    private let mailbox: CurlMailbox
    private let proxies: ProxySetting.Resolved
    private let trust = CurlTrust()

    /// Creates a transport. Its connections are closed when the transport and its last body are released, or after one
    /// minute without a request.
    ///
    /// - Parameters:
    ///   - proxy: The HTTP proxy to connect through.
    ///   - connectionsPerHost: Maximum HTTP/1.1 connections per host, 1 or more; further requests wait.
    public init(proxy: ProxySetting = .environment, connectionsPerHost: Int = 8) {
        precondition(connectionsPerHost > 0, "connectionsPerHost must be at least 1")
        proxies = proxy.resolved()
        mailbox = CurlMailbox(CurlLoop.Settings(connectionsPerHost: connectionsPerHost, connectionGuard: nil))
    }

    /// Creates a transport of direct HTTP/1.1 connections, only to peers that the guard admits.
    ///
    /// HTTP/2 is not offered: libcurl 7.88 to 8.5 use the processor without limit for empty DATA frames, and versions
    /// before report some truncated streams as complete.
    package init(connectionsPerHost: Int = 8, connectionGuard: ConnectionGuard) {
        precondition(connectionsPerHost > 0, "connectionsPerHost must be at least 1")
        proxies = ProxySetting.none.resolved()
        mailbox = CurlMailbox(
            CurlLoop.Settings(connectionsPerHost: connectionsPerHost, connectionGuard: connectionGuard))
    }

    deinit { mailbox.post(.close) }

    /// Throws `configuration` when an additional root does not consist of PEM certificates.
    public func validate(_ trust: TrustSettings) throws(LoadError) { _ = try self.trust.roots(trust) }

    /// Sends a request; returns when the head of the final response was received. Interim responses are skipped.
    ///
    /// - Throws: A ``LoadError`` with the code `transport`, `tls`, `configuration` or `cancelled`. For `transport` and
    ///   `tls`, ``LoadError/reason`` is set.
    public func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        try await send(request, to: [], trust: trust, timeouts: timeouts)
    }

    /// Sends a request like ``send(_:trust:timeouts:)`` and connects to one of the given addresses.
    ///
    /// - Parameter addresses: IP addresses of the host in text form, without brackets, tried in order until a
    ///   connection is established; empty for a DNS look-up. They replace only the look-up: the Host field and the name
    ///   in the certificate are those of the request.
    package func send(
        _ request: HTTPRequest, to addresses: [String], trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        do {
            let prepared = try CurlRequest(
                request, to: addresses, proxy: proxies, trust: self.trust, trust, timeouts, now: picu_now())
            let exchange = CurlExchange(prepared, mailbox)
            let head = try await exchange.head()
            let body = CurlBody(exchange: exchange, url: request.url)
            return HTTPResponse(head: head, body: HTTPBody { try await body.next() })
        } catch {
            throw LoadError(curlError: error, url: request.url)
        }
    }
}

/// The consumer side of a body. Releasing it before the end of the body cancels the exchange.
private final class CurlBody: Sendable {
    private let exchange: CurlExchange
    private let url: String

    init(exchange: CurlExchange, url: String) {
        self.exchange = exchange
        self.url = url
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? {
        do {
            return try await exchange.next()
        } catch {
            throw LoadError(curlError: error, url: url)
        }
    }
}
