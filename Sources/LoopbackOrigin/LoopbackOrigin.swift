import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// An HTTP origin server inside this process, on 127.0.0.1 or another local address, for tests and demonstrations.
///
/// It sends scripted responses, including invalid ones, and records the requests that it receives.
public final class LoopbackOrigin: Sendable {
    /// The port that the origin listens on.
    public let port: Int
    private let host: String
    /// The TLS certificate; nil for plain HTTP.
    public let certificate: OriginCertificate?
    private let listener: any Channel
    private let log: OriginLog

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - certificate: The TLS certificate; nil for plain HTTP.
    ///   - speaksHTTP2: True offers h2 by ALPN; ignored without a certificate.
    ///   - host: The IP address to listen on, without brackets.
    ///   - port: The port to listen on; 0 for any free one.
    ///   - rejectsOtherProtocols: When true, the origin responds with 400 and closes the connection if the first byte
    ///     is not that of an HTTP request (but of a TLS record, for example). When false, it waits for the end of a
    ///     request head.
    ///   - respond: Called for every request, from any thread.
    public init(
        certificate: OriginCertificate? = nil, speaksHTTP2: Bool = false, host: String = "127.0.0.1", port: Int = 0,
        rejectsOtherProtocols: Bool = false,
        respond: @escaping @Sendable (OriginRequest) -> OriginAction
    ) async throws {
        let log = OriginLog()
        let tls = try certificate.map { try Self.context($0, speaksHTTP2: speaksHTTP2) }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(ChannelOptions.backlog, value: 1024)
            .childChannelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = log.accept(channel)
                    channel.closeFuture.whenComplete { _ in log.closed(connection) }
                    try Self.prepare(
                        channel, tls,
                        OriginConnection(
                            number: connection, log: log, rejectsOtherProtocols: rejectsOtherProtocols, respond: respond
                        ))
                }
            }
        listener = try await bootstrap.bind(host: host, port: port).get()
        self.host = host
        self.port = listener.localAddress?.port ?? 0
        self.certificate = certificate
        self.log = log
    }

    /// Returns the URL of a path that starts with a slash.
    ///
    /// - Parameter host: The host part of the URL; nil for the IP address that the origin listens on.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        let host = host ?? (self.host.contains(":") ? "[\(self.host)]" : self.host)
        return "\(certificate == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// All requests so far, in order of arrival.
    public var requests: [OriginRequest] { log.requests }
    /// Number of connections accepted so far.
    public var connectionCount: Int { log.counts.accepted }
    /// Number of accepted connections that are closed.
    public var closedConnectionCount: Int { log.counts.closed }
    /// Number of body bytes written to the connections so far.
    public var bodyBytesWritten: Int { log.counts.bodyBytesWritten }

    /// Waits until at least `count` requests were received, or the task is cancelled.
    public func waitForRequests(_ count: Int) async { await log.wait { $0.requests >= count } }

    /// Waits until at least `count` connections were closed, or the task is cancelled.
    public func waitForClosedConnections(_ count: Int) async { await log.wait { $0.closed >= count } }

    /// Closes every open connection, as a server does with idle ones, and continues to listen.
    public func closeConnections() async {
        for channel in log.connections { try? await channel.close() }
    }

    /// Stops listening and closes all connections.
    public func stop() async {
        try? await listener.close()
        await closeConnections()
    }

    deinit {
        listener.close(promise: nil)
        for channel in log.connections { channel.close(promise: nil) }
    }

    private static func context(_ certificate: OriginCertificate, speaksHTTP2: Bool) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate.der, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: certificate.key, format: .der)))
        configuration.applicationProtocols = speaksHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    private static func prepare(_ channel: any Channel, _ tls: NIOSSLContext?, _ connection: OriginConnection) throws {
        let pipeline = channel.pipeline.syncOperations
        guard let tls else { return try pipeline.addHandler(connection.http1) }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                guard case .negotiated("h2") = result else {
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(connection.http1)
                    }
                }
                return channel.configureHTTP2Pipeline(mode: .server) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandler(connection.http2)
                    }
                }.map { _ in }
            })
    }
}

/// The parameters of one connection's handlers.
private struct OriginConnection: Sendable {
    let number: Int
    let log: OriginLog
    let rejectsOtherProtocols: Bool
    let respond: @Sendable (OriginRequest) -> OriginAction

    var http1: OriginHTTP1 {
        OriginHTTP1(connection: number, log: log, rejectsOtherProtocols: rejectsOtherProtocols, respond: respond)
    }
    var http2: OriginHTTP2 { OriginHTTP2(connection: number, log: log, respond: respond) }
}
