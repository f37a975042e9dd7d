#if AsyncHTTPClient
public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import PlatformImage

/// A transport over AsyncHTTPClient: HTTP/1.1, and HTTP/2 when the server offers it by ALPN.
///
/// A `GET` is retried once if the server refused its HTTP/2 stream (RFC 9113 §8.7, §6.8), or if a reused connection
/// closed before the first byte of a response (RFC 9112 §9.3.1). It is not retried after a failed attempt to connect or
/// a rejected certificate.
///
/// The field values of HTTP/1.1 responses are the received bytes. Over HTTP/2, and with a client of the caller that was
/// not prepared with ``prepare(_:)``, the library replaces invalid UTF-8 in them by U+FFFD. Values to be sent must be
/// UTF-8.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let clients: AsyncHTTPClientSource
    private let trusts = AsyncHTTPClientTrust()

    /// Creates a transport that owns its clients. They are shut down when the transport and its last body are released.
    ///
    /// - Parameters:
    ///   - proxy: The HTTP proxy to connect through.
    ///   - connectionsPerHost: Maximum HTTP/1.1 connections per host, 1 or more; further requests wait.
    public init(proxy: ProxySetting = .environment, connectionsPerHost: Int = 8) {
        precondition(connectionsPerHost > 0, "connectionsPerHost must be at least 1")
        clients = .owned(AsyncHTTPClientPool(proxy: proxy, connectionsPerHost: connectionsPerHost))
    }

    /// Creates a transport of direct connections, only to peers that the guard admits.
    package init(connectionsPerHost: Int = 8, connectionGuard: ConnectionGuard) {
        precondition(connectionsPerHost > 0, "connectionsPerHost must be at least 1")
        clients = .owned(
            AsyncHTTPClientPool(
                proxy: .none, connectionsPerHost: connectionsPerHost, connectionGuard: connectionGuard))
    }

    /// Creates a transport over a client of the caller. The caller shuts the client down after the last load.
    ///
    /// The connect timeout and the proxy are those of the client. Its TLS settings apply unless trust settings are set.
    ///
    /// - Parameters:
    ///   - client: The client; the transport does not shut it down.
    ///   - isPrepared: True when ``prepare(_:)`` was applied to the client's configuration. Otherwise the client must
    ///     not follow redirects, and should not decompress. A redirect that it follows is reported as an error.
    public init(client: HTTPClient, isPrepared: Bool = false) {
        clients = .injected(client, isPrepared: isPrepared)
    }

    /// Configures a client for this transport: disables redirects, decompression, retries of failed connections and the
    /// no-op tracer. Installs handlers that preserve the bytes of HTTP/1.1 heads and record how a connection broke.
    public static func prepare(_ configuration: inout HTTPClient.Configuration) {
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // If the application installed no tracer, the library creates a span in a no-op tracer and describes each
        // request to it, which takes 10 % of the time of a request.
        if let tracer = configuration.tracing.tracer, String(describing: type(of: tracer)) == "NoOpTracer" {
            configuration.tracing.tracer = nil
        }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(AsyncHTTPClientHeadHandler(), position: .before(parser))
            }
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AsyncHTTPClientStreamHandler(), position: .first)
            }
        }
    }

    public func validate(_ trust: TrustSettings) throws(LoadError) { _ = try trusts.configuration(trust, host: "") }

    public func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        try await send(request, to: [], trust: trust, timeouts: timeouts)
    }

    /// Sends a request like ``send(_:trust:timeouts:)`` and connects to one of the given addresses.
    ///
    /// - Parameter addresses: IP addresses of the host in text form, without brackets, tried in order until a
    ///   connection is established; empty for a DNS lookup. They replace only the lookup: the Host field and the name
    ///   in the certificate are those of the request.
    package func send(
        _ request: HTTPRequest, to addresses: [String], trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        do {
            let prepared = try prepare(request, trust)
            let deadline = timeouts.total.map { NIODeadline.now() + TimeAmount($0) }
            var addresses = addresses[...]
            var mayRetry = request.method == "GET"
            // A pooled connection that had closed before the request was written is replaced. This does not count as a
            // retry; after 8 replacements, the next such connection is an error.
            var unsentRetries = 8
            while true {
                let lease = try clients.lease(for: prepared, connect: timeouts.connect, pin: addresses.first)
                let exchange = AsyncHTTPClientExchange(idle: timeouts.idle.map { TimeAmount($0) })
                do {
                    let head = try await exchange.run(prepared, on: lease.client, deadline: deadline)
                    let isReencoded = lease.isPrepared && head.version.major < 2
                    let body = AsyncHTTPClientBody(exchange: exchange, lease: lease, url: request.url)
                    return HTTPResponse(
                        head: ResponseHead(head, isReencoded: isReencoded), body: HTTPBody { try await body.next() })
                } catch {
                    // All connections are busy and none has failed: continue to wait, within the total timeout.
                    if error as? HTTPClientError == .getConnectionFromPoolTimeout { continue }
                    if !exchange.isSent, addresses.count > 1, Self.isConnectFailure(error) {
                        addresses.removeFirst()
                    } else if !exchange.isSent, unsentRetries > 0, Self.wasClosedBeforeUse(error) {
                        unsentRetries -= 1
                    } else if mayRetry, Self.isUnprocessed(error) {
                        mayRetry = false
                    } else {
                        throw await withCertificateReason(error, prepared, pin: addresses.first, trust, deadline)
                    }
                }
            }
        } catch {
            throw LoadError(transportError: error, url: Redaction.masked(request.url))
        }
    }

    /// Returns the error, or for a refused certificate an error with the reason if it can be determined.
    private func withCertificateReason(
        _ error: any Error, _ request: HTTPClient.Request, pin: String?, _ trust: TrustSettings,
        _ deadline: NIODeadline?
    ) async -> any Error {
        // A proxy or an injected client may reach the server by a route that is unknown here.
        guard LoadError.isRejectedCertificate(error), clients.connectsDirectly(for: request, isPinned: pin != nil)
        else {
            return error
        }
        let chain = await CertificateProbe.chain(
            host: request.host, port: request.port, address: pin, deadline: deadline)
        guard let reason = CertificateDiagnosis.describe(chain, roots: trusts.roots(trust), now: .now) else {
            return error
        }
        return LoadError.tls("certificate not trusted: \(reason)")
    }

    /// Returns true when the server refused the failed request, or closed a reused connection before the first byte of
    /// its response.
    private static func isUnprocessed(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOHTTP2Errors.StreamClosed: error.errorCode == .refusedStream
        case is AsyncHTTPClientStreamHandler.ExcludedByGoAway: true
        case let error as AsyncHTTPClientHeadHandler.ResponseLost: error.isReused && !error.hasStarted
        default: false
        }
    }

    /// Returns true when no connection was established, so that the next address can be tried.
    private static func isConnectFailure(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout
        case is NIOConnectionError, is IOError: true
        default: false
        }
    }

    /// Returns true for the errors that the library reports for a connection that had closed before it was used.
    private static func wasClosedBeforeUse(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed || error == .cancelled
        case let error as ChannelError: error == .ioOnClosedChannel
        default: false
        }
    }

    /// Returns the Host field value for an http or https URL: host, and port unless it is the default (RFC 9110 §7.2);
    /// nil for another scheme, an empty host or an invalid port.
    ///
    /// The library also accepts paths of Unix domain sockets, and traps on a port over 65535 (async-http-client
    /// 1.37.0), which a Location field may contain.
    static func hostField(of url: String) -> String? {
        let parts = URLReference(url.utf8)
        guard let scheme = parts.scheme, let authority = parts.authority else { return nil }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        guard name == "http" || name == "https" else { return nil }
        let hostAndPort = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority[...]
        let afterBracket = hostAndPort.lastIndex(of: UInt8(ascii: "]")).map { hostAndPort[$0...] } ?? hostAndPort
        let colon = afterBracket.lastIndex(of: UInt8(ascii: ":")) ?? hostAndPort.endIndex
        let host = String(decoding: hostAndPort[..<colon], as: UTF8.self)
        if host.isEmpty { return nil }
        let text = String(decoding: hostAndPort[colon...].dropFirst(), as: UTF8.self)
        if text.isEmpty { return host }
        guard let port = UInt16(text), port > 0 else { return nil }
        return port == (name == "http" ? 80 : 443) ? host : "\(host):\(port)"
    }

    /// Percent-encodes the bytes that RFC 3986 §3.3 and §3.4 do not allow in a path or query, and removes the fragment.
    /// Existing escapes are retained; Foundation's URL, which the library uses, would escape them again.
    private static func escaped(_ url: String) -> String {
        // Nearly all URLs need no escapes.
        let unescaped = Self.unescaped
        if url.utf8.allSatisfy({ unescaped.contains($0) }) { return url }
        var parts = URLReference(url.utf8)
        parts.path = PercentEncoding.encode(parts.path, allowed: unescaped, keepsEscapes: true)
        parts.query = parts.query.map { PercentEncoding.encode($0, allowed: unescaped, keepsEscapes: true) }
        parts.fragment = nil
        return String(decoding: parts.bytes, as: UTF8.self)
    }

    /// Bytes that need no escape in a path or query. `%` is not included, because it is retained only as part of an
    /// escape.
    private static let unescaped = ASCIISet.pathSegment.union("/?")

    private func prepare(_ request: HTTPRequest, _ trust: TrustSettings) throws -> HTTPClient.Request {
        guard let host = Self.hostField(of: request.url) else {
            throw LoadError.configuration("the URL is not an http or https URL")
        }
        var headers = HTTPHeaders()
        // Host is the first field, as RFC 9110 §7.2 recommends; the library would append it as the last field.
        if !request.fields.contains("Host") { headers.add(name: "Host", value: host) }
        for field in request.fields.lines {
            // The library rejects all names that are not tokens (RFC 9110 §5.6.2), except the empty name.
            guard !field.name.isEmpty else { throw LoadError.configuration("a header field has an empty name") }
            guard let value = String(validating: field.value, as: UTF8.self) else {
                throw LoadError.configuration("the value of the header field \(field.name) is not UTF-8")
            }
            // The library also rejects a value with a control character, but its error contains the value. The value
            // may be a secret, for example an API key read from a file together with its line end.
            guard !field.hasControlCharacter else {
                throw LoadError.configuration(
                    "the value of the header field \(field.name) contains a control character")
            }
            headers.add(name: field.name, value: value)
        }
        var prepared = try HTTPClient.Request(
            url: Self.escaped(request.url), method: HTTPMethod(rawValue: request.method), headers: headers)
        prepared.tlsConfiguration = try trusts.configuration(trust, host: prepared.host.lowercased())
        return prepared
    }
}

/// The consumer side of a body. Releasing it before the end of the body cancels the exchange.
private final class AsyncHTTPClientBody: Sendable {
    private let exchange: AsyncHTTPClientExchange
    private let lease: AsyncHTTPClientSource.Lease
    private let url: String

    init(exchange: AsyncHTTPClientExchange, lease: AsyncHTTPClientSource.Lease, url: String) {
        self.exchange = exchange
        self.lease = lease
        self.url = url
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? {
        do {
            return try await exchange.next()
        } catch {
            throw LoadError(transportError: error, url: Redaction.masked(url))
        }
    }
}

extension TimeAmount {
    /// Clamps a duration to 0...100 years, so that a deadline cannot overflow.
    init(_ duration: Duration) {
        let most = Duration.seconds(3_155_760_000)
        self = .nanoseconds(max(0, min(duration, most).nanosecondCount))
    }
}
#endif
