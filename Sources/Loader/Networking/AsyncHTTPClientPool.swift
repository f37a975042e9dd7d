#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOPosix
internal import PlatformImage
import Synchronization

/// The provider of a transport's HTTP clients.
enum AsyncHTTPClientSource: Sendable {
    case owned(AsyncHTTPClientPool)
    case injected(HTTPClient, isPrepared: Bool)

    /// A client for one exchange. While the lease exists, the transport does not shut the client down.
    struct Lease: Sendable {
        let client: HTTPClient
        let isPrepared: Bool
        fileprivate let owner: OwnedClient?
    }

    /// Returns a client for the request.
    ///
    /// - Parameter pin: The IP address to connect to instead of a DNS lookup; nil to look the host up.
    func lease(
        for request: HTTPClient.Request, connect: Duration?, pin: String?
    ) throws(LoadError) -> Lease {
        switch self {
        case .owned(let pool):
            let owner = try pool.client(for: request, connect: connect, pin: pin)
            return Lease(client: owner.client, isPrepared: true, owner: owner)
        case .injected(let client, let isPrepared):
            guard pin == nil else {
                throw .configuration(
                    "the request specifies the IP address to connect to, which an injected HTTPClient does not support")
            }
            return Lease(client: client, isPrepared: isPrepared, owner: nil)
        }
    }
}

extension AsyncHTTPClientSource {
    /// Returns true when a ``CertificateProbe`` may connect to the server of the request. The transport must own the
    /// client, and the request must use no proxy. If there is a connection guard, the address must be pinned.
    ///
    /// - Parameter isPinned: True for a request to an address that the caller selected.
    func connectsDirectly(for request: HTTPClient.Request, isPinned: Bool) -> Bool {
        switch self {
        case .owned(let pool): pool.connectsDirectly(for: request, isPinned: isPinned)
        case .injected: false
        }
    }
}

/// A client that is shut down when the last reference is released.
private final class OwnedClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        // On Darwin, the provider `.singleton` selects Network.framework, which has other errors and trust settings.
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    // Nothing is in flight: every exchange holds a lease.
    deinit { client.shutdown { _ in } }
}

/// The clients that a transport owns: one per combination of connect timeout, proxy and pinned address, which
/// AsyncHTTPClient configures per client.
final class AsyncHTTPClientPool: Sendable {
    private struct Key: Hashable {
        let connect: Duration?
        let proxy: ProxyServer?
        /// The host and its pinned address; nil for no pin.
        let pin: Pin?
    }

    private struct Pin: Hashable {
        let host: String
        let address: String
    }

    private struct State {
        var clients: [Key: (client: OwnedClient, lastUse: Int)] = [:]
        var uses = 0
    }

    /// Maximum number of pooled clients; an evicted client is shut down when its last body is released.
    private static let maxClients = 64

    private let state = Mutex(State())
    private let proxies: ProxySetting.Resolved
    private let connectionsPerHost: Int
    private let connectionGuard: ConnectionGuard?

    init(proxy: ProxySetting, connectionsPerHost: Int, connectionGuard: ConnectionGuard? = nil) {
        proxies = proxy.resolved()
        self.connectionsPerHost = connectionsPerHost
        self.connectionGuard = connectionGuard
    }

    fileprivate func client(
        for request: HTTPClient.Request, connect: Duration?, pin: String?
    ) throws(LoadError) -> OwnedClient {
        let proxy = try proxies.server(isSecure: request.useTLS, host: request.host.lowercased())
        if proxy != nil, pin != nil {
            throw .configuration(
                "the request specifies the IP address to connect to, which is not possible through a proxy")
        }
        let key = Key(connect: connect, proxy: proxy, pin: pin.map { Pin(host: request.host, address: $0) })
        let (client, evicted) = state.locked(in: self) { state -> (OwnedClient, OwnedClient?) in
            state.uses += 1
            if let client = state.clients[key]?.client {
                state.clients[key]?.lastUse = state.uses
                return (client, nil)
            }
            let client = OwnedClient(configuration(key))
            var evicted: OwnedClient?
            if state.clients.count >= Self.maxClients,
                let oldest = state.clients.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                evicted = oldest.value.client
                state.clients[oldest.key] = nil
            }
            state.clients[key] = (client, state.uses)
            return (client, evicted)
        }
        // Clients are released, and so shut down, outside the lock.
        withExtendedLifetime(evicted) {}
        return client
    }

    fileprivate func connectsDirectly(for request: HTTPClient.Request, isPinned: Bool) -> Bool {
        // The probe looks the host up again, and the guard might refuse the address that this look-up returns.
        guard connectionGuard == nil || isPinned else { return false }
        do throws(LoadError) {
            return try proxies.server(isSecure: request.useTLS, host: request.host.lowercased()) == nil
        } catch {
            return false
        }
    }

    private func configuration(_ key: Key) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        AsyncHTTPClientTransport.prepare(&configuration)
        connectionGuard?.install(in: &configuration)
        Self.enlargeReads(&configuration)
        // An IP literal needs no override; for a name, certificate verification still uses the name.
        if let pin = key.pin, pin.host != pin.address, pin.host != "[\(pin.address)]" {
            configuration.dnsOverride = [pin.host: pin.address]
        }
        // Without a value AsyncHTTPClient uses ten seconds, so a hundred years represent "no limit".
        configuration.timeout.connect = TimeAmount(key.connect ?? .seconds(3_155_760_000))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        if let proxy = key.proxy {
            configuration.proxy = .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
        }
        return configuration
    }

    /// Reads up to 256 KiB with one system call. A connection retains as much memory as with SwiftNIO's default of four
    /// reads of 64 KiB.
    private static func enlargeReads(_ configuration: inout HTTPClient.Configuration) {
        let prepare = configuration.http1_1ConnectionDebugInitializer
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // Setting fails only on a closed connection, which the request reports.
            _ = channel.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 16_384, initial: 65_536, maximum: 262_144))
            _ = channel.setOption(.maxMessagesPerRead, value: 1)
            return prepare?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
    }
}
#endif
