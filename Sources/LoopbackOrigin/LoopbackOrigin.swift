internal import CPlatformImageOriginProtocols
internal import PlatformImage

/// An HTTP origin server inside this process, on 127.0.0.1 or another local address, for tests and demonstrations.
///
/// It sends scripted responses, including invalid ones, and records the requests that it receives.
public final class LoopbackOrigin: Sendable {
    /// The port that the origin listens on.
    public let port: Int
    private let host: String
    /// The TLS certificate; nil for plain HTTP.
    public let certificate: OriginCertificate?
    private let log: OriginLog
    private let mailbox: OriginMailbox

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
    ///   - respond: Called for every request, on the thread of the origin. While it runs, the origin handles no other
    ///     request.
    public init(
        certificate: OriginCertificate? = nil, speaksHTTP2: Bool = false, host: String = "127.0.0.1", port: Int = 0,
        rejectsOtherProtocols: Bool = false,
        respond: @escaping @Sendable (OriginRequest) -> OriginAction
    ) async throws {
        guard let number = UInt16(exactly: port) else { throw OriginError("\(port) is not a port") }
        let tls = try certificate.map { try OriginTLSContext($0, speaksHTTP2: speaksHTTP2) }
        let mailbox = try OriginMailbox()
        var bound: UInt16 = 0
        let listener = piop_listen(host, number, &bound)
        guard listener >= 0 else { throw OriginError("cannot listen on \(host), port \(port)", number: -listener) }
        let log = OriginLog()
        let service = OriginService(log: log, rejectsOtherProtocols: rejectsOtherProtocols, respond: respond)
        let loop = OriginLoop(listener: listener, service: service, tls: tls, mailbox: mailbox)
        if let failure = DetachedThread.start({ loop.run() }) {
            throw OriginError("cannot start a thread", number: failure)
        }
        self.host = host
        self.port = Int(bound)
        self.certificate = certificate
        self.log = log
        self.mailbox = mailbox
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
        await withCheckedContinuation { mailbox.post(.closeConnections($0)) }
    }

    /// Stops listening and closes all connections.
    public func stop() async {
        await withCheckedContinuation { mailbox.post(.stop($0)) }
    }

    deinit { mailbox.post(.stop(nil)) }
}
