#if AsyncHTTPClient
public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import PlatformImage

/// The transport by way of AsyncHTTPClient: HTTP/1.1, and HTTP/2 where a server offers it by ALPN.
///
/// A `GET` is sent once more, and only then, when the server has certainly not worked on it: an HTTP/2 stream that it
/// refused (RFC 9113 §8.7, §6.8), or a connection that had served before and was closed before the first byte of an
/// answer (RFC 9112 §9.3.1). A failed connection or certificate is not tried again.
///
/// Values of fields are bytes over HTTP/1.1. Over HTTP/2, and with an injected client that was not prepared, what is
/// not UTF-8 comes as U+FFFD, because the library makes it text before anyone else sees it. Values to be sent must be
/// UTF-8.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let clients: AsyncHTTPClientSource
    private let trusts = AsyncHTTPClientTrust()

    /// A transport with a client of its own, which is shut down when the transport and its last body are released.
    ///
    /// - Parameters:
    ///   - proxy: Through which HTTP proxy to connect.
    ///   - connectionsPerHost: How many HTTP/1.1 connections a host gets, 1 or more; requests beyond it wait.
    public init(proxy: ProxySetting = .environment, connectionsPerHost: Int = 8) {
        precondition(connectionsPerHost > 0, "a host needs a connection")
        clients = .own(AsyncHTTPClientPool(proxy: proxy, connectionsPerHost: connectionsPerHost))
    }

    /// A transport of direct connections to none but the peers that a guard admits.
    package init(connectionsPerHost: Int = 8, connectionGuard: ConnectionGuard) {
        precondition(connectionsPerHost > 0, "a host needs a connection")
        clients = .own(
            AsyncHTTPClientPool(
                proxy: .none, connectionsPerHost: connectionsPerHost, connectionGuard: connectionGuard))
    }

    /// A transport over a client that the caller made, and shuts down after the last load.
    ///
    /// The connect timeout and the proxy are the client's. Its TLS settings hold unless a request brings trust
    /// settings.
    ///
    /// - Parameters:
    ///   - client: Is not shut down here.
    ///   - isPrepared: True when the client's configuration went through ``prepare(_:)``. Otherwise it must at least
    ///     not follow redirects, which is an error here, and should not decompress.
    public init(client: HTTPClient, isPrepared: Bool = false) {
        clients = .injected(client, isPrepared: isPrepared)
    }

    /// Sets what this transport expects of a client: no redirects, no decompression, no second attempt at a connection
    /// that failed, no tracer that does nothing, and handlers that keep the bytes of HTTP/1.1 heads and know what a
    /// broken connection had received.
    public static func prepare(_ configuration: inout HTTPClient.Configuration) {
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // Without a tracer of the host's own the library asks one that does nothing for a span a request, and describes
        // the request to it: a tenth of what a request costs.
        if let tracer = configuration.tracing.tracer, String(describing: type(of: tracer)) == "NoOpTracer" {
            configuration.tracing.tracer = nil
        }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(AsyncHTTPClientHead(), position: .before(parser))
            }
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AsyncHTTPClientStream(), position: .first)
            }
        }
    }

    public func validate(_ trust: TrustSettings) throws(LoadError) { _ = try trusts.configuration(trust, host: "") }

    public func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        try await send(request, to: [], trust: trust, timeouts: timeouts)
    }

    /// Sends a request as ``send(_:trust:timeouts:)`` does, and connects to one of these addresses.
    ///
    /// - Parameter addresses: IP addresses of the host in their usual form, without brackets, of which the next is
    ///   tried when there is no connection to the one before; empty for what the host's name stands for. They take the
    ///   place of a lookup and change nothing else: the Host field and the name in the certificate are those of the
    ///   request.
    package func send(
        _ request: HTTPRequest, to addresses: [String], trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        do {
            let prepared = try prepare(request, trust)
            let deadline = timeouts.total.map { NIODeadline.now() + TimeAmount($0) }
            var addresses = addresses[...]
            var mayRepeat = request.method == "GET"
            // Connections that went away in the pool, unnoticed, before anything was written to them, are no repeats;
            // more than this many in a row are a fault.
            var unsent = 8
            while true {
                let lease = try clients.lease(for: prepared, connect: timeouts.connect, pin: addresses.first)
                let exchange = AsyncHTTPClientExchange(idle: timeouts.idle.map { TimeAmount($0) })
                do {
                    let head = try await exchange.run(prepared, on: lease.client, deadline: deadline)
                    let isSpelled = lease.isPrepared && head.version.major < 2
                    let body = AsyncHTTPClientBody(exchange: exchange, lease: lease, url: request.url)
                    return HTTPResponse(
                        head: ResponseHead(head, isSpelled: isSpelled), body: HTTPBody { try await body.next() })
                } catch {
                    // All connections are busy, none has failed: the request waits on, within the total time.
                    if error as? HTTPClientError == .getConnectionFromPoolTimeout { continue }
                    if !exchange.isSent, addresses.count > 1, Self.isUnconnected(error) {
                        addresses.removeFirst()
                    } else if !exchange.isSent, unsent > 0, Self.isGone(error) {
                        unsent -= 1
                    } else if mayRepeat, Self.isUnseen(error) {
                        mayRepeat = false
                    } else {
                        throw await explained(error, prepared, pin: addresses.first, trust, deadline)
                    }
                }
            }
        } catch {
            throw LoadError(transportError: error, url: Redaction.shown(request.url))
        }
    }

    /// The error, or one that says why the certificate was refused, where that can be found out.
    private func explained(
        _ error: any Error, _ request: HTTPClient.Request, pin: String?, _ trust: TrustSettings,
        _ deadline: NIODeadline?
    ) async -> any Error {
        // A proxy, and the client of somebody else, have ways to the server that are not known here.
        guard LoadError.isRefusedCertificate(error), clients.connectsDirectly(for: request, isPinned: pin != nil) else {
            return error
        }
        let chain = await CertificateProbe.chain(
            host: request.host, port: request.port, address: pin, deadline: deadline)
        guard let flaw = CertificateFlaw.text(chain, roots: trusts.roots(trust), now: .now) else { return error }
        return LoadError.tls("certificate not trusted: \(flaw)")
    }

    /// True when the server has certainly not worked on the request that failed so.
    private static func isUnseen(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOHTTP2Errors.StreamClosed: error.errorCode == .refusedStream
        case is AsyncHTTPClientStream.LeftOut: true
        case let error as AsyncHTTPClientHead.ReplyLost: error.isReused && !error.isBegun
        default: false
        }
    }

    /// True when no connection came about, so that another address may do.
    private static func isUnconnected(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout
        case is NIOConnectionError, is IOError: true
        default: false
        }
    }

    /// True for what the library says when it finds a connection closed on which it was about to send.
    private static func isGone(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed || error == .cancelled
        case let error as ChannelError: error == .ioOnClosedChannel
        default: false
        }
    }

    /// What the Host field says for an address of http or https: host, and port unless it is the default (RFC 9110
    /// §7.2); nil for other addresses.
    ///
    /// The library also takes paths of local sockets as addresses, and traps on a port over 65535 (async-http-client
    /// 1.37.0), which a Location field may well have.
    static func hostField(of url: String) -> String? {
        let parts = URLReference(url.utf8)
        guard let scheme = parts.scheme, let authority = parts.authority else { return nil }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        guard name == "http" || name == "https" else { return nil }
        let whole = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority[...]
        let afterAddress = whole.lastIndex(of: UInt8(ascii: "]")).map { whole[$0...] } ?? whole
        let colon = afterAddress.lastIndex(of: UInt8(ascii: ":")) ?? whole.endIndex
        let host = String(decoding: whole[..<colon], as: UTF8.self)
        if host.isEmpty { return nil }
        let text = String(decoding: whole[colon...].dropFirst(), as: UTF8.self)
        if text.isEmpty { return host }
        guard let port = UInt16(text), port > 0 else { return nil }
        return port == (name == "http" ? 80 : 443) ? host : "\(host):\(port)"
    }

    /// The address with every byte escaped that RFC 3986 §3.3 and §3.4 do not allow in a path and a query, and all
    /// others as they are. Foundation's URL, which the library takes, would escape what is escaped a second time.
    private static func escaped(_ url: String) -> String {
        // Nearly every address is one already.
        let unescaped = Self.unescaped
        if url.utf8.allSatisfy({ unescaped.contains($0) }) { return url }
        var parts = URLReference(url.utf8)
        parts.path = PercentEncoding.encode(parts.path, allowed: unescaped, keepsEscapes: true)
        parts.query = parts.query.map { PercentEncoding.encode($0, allowed: unescaped, keepsEscapes: true) }
        parts.fragment = nil
        return String(decoding: parts.bytes, as: UTF8.self)
    }

    /// What stands for itself in a path and in a query, `%` aside. In an authority it may, too.
    private static let unescaped = ASCIISet.pathSegment.union("/?")

    private func prepare(_ request: HTTPRequest, _ trust: TrustSettings) throws -> HTTPClient.Request {
        guard let host = Self.hostField(of: request.url) else {
            throw LoadError.configuration("not an address of http or https")
        }
        var headers = HTTPHeaders()
        // The first line, as RFC 9110 §7.2 would have it; the library adds it as the last one.
        if !request.fields.contains("Host") { headers.add(name: "Host", value: host) }
        for field in request.fields.lines {
            // The library refuses all other names that are no token (RFC 9110 §5.6.2).
            guard !field.name.isEmpty else { throw LoadError.configuration("a field without a name cannot be sent") }
            guard let value = String(validating: field.value, as: UTF8.self) else {
                throw LoadError.configuration("the value of the field \(field.name) is not UTF-8 and cannot be sent")
            }
            // The library refuses it too, and puts the value into its error: a key that was read from a file with the
            // end of its line, for one.
            guard !field.hasControlCharacter else {
                throw LoadError.configuration(
                    "the value of the field \(field.name) has a control character and cannot be sent")
            }
            headers.add(name: field.name, value: value)
        }
        var prepared = try HTTPClient.Request(
            url: Self.escaped(request.url), method: HTTPMethod(rawValue: request.method), headers: headers)
        prepared.tlsConfiguration = try trusts.configuration(trust, host: prepared.host.lowercased())
        return prepared
    }
}

/// The reading end of a body. When it is released unread, the exchange ends.
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
            throw LoadError(transportError: error, url: Redaction.shown(url))
        }
    }
}

extension TimeAmount {
    /// Not negative, and at most a hundred years, so that a deadline cannot overflow.
    init(_ duration: Duration) {
        let most = Duration.seconds(3_155_760_000)
        self = .nanoseconds(max(0, min(duration, most).nanosecondCount))
    }
}
#endif
