#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import Synchronization

/// Where a transport has its clients from.
enum AsyncHTTPClientSource: Sendable {
    case own(AsyncHTTPClientPool)
    case injected(HTTPClient, isPrepared: Bool)

    /// A client that stays up while this is held.
    struct Lease: Sendable {
        let client: HTTPClient
        let isPrepared: Bool
        fileprivate let owner: OwnedClient?
    }

    func lease(for request: HTTPClient.Request, connect: Duration?) throws(LoadError) -> Lease {
        switch self {
        case .own(let pool):
            let owner = try pool.client(for: request, connect: connect)
            return Lease(client: owner.client, isPrepared: true, owner: owner)
        case .injected(let client, let isPrepared):
            return Lease(client: client, isPrepared: isPrepared, owner: nil)
        }
    }
}

/// A client that is shut down when nobody holds it.
private final class OwnedClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    // It has nothing in flight: every exchange holds a lease.
    deinit { client.shutdown { _ in } }
}

/// The clients of a transport's own: one, unless requests differ in their connect timeout or in their proxy, which
/// AsyncHTTPClient has a client decide.
final class AsyncHTTPClientPool: Sendable {
    private struct Key: Hashable {
        let connect: Duration?
        let proxy: ProxyServer?
    }

    /// More clients than this are not kept; those in use live on until their last body is released.
    private static let mostClients = 8

    private let clients = Mutex<[Key: OwnedClient]>([:])
    private let proxies: ProxySetting.Resolved
    private let connectionsPerHost: Int

    init(proxy: ProxySetting, connectionsPerHost: Int) {
        proxies = proxy.resolved()
        self.connectionsPerHost = connectionsPerHost
    }

    fileprivate func client(for request: HTTPClient.Request, connect: Duration?) throws(LoadError) -> OwnedClient {
        let proxy = try proxies.server(isSecure: request.useTLS, host: request.host.lowercased())
        let key = Key(connect: connect, proxy: proxy)
        let (client, dropped) = clients.withLock { clients -> (OwnedClient, [OwnedClient]) in
            if let client = clients[key] { return (client, []) }
            let client = OwnedClient(configuration(key))
            let dropped = clients.count >= Self.mostClients ? Array(clients.values) : []
            if !dropped.isEmpty { clients = [:] }
            clients[key] = client
            return (client, dropped)
        }
        // Clients are released, and so shut down, outside of the lock.
        withExtendedLifetime(dropped) {}
        return client
    }

    private func configuration(_ key: Key) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        AsyncHTTPClientTransport.prepare(&configuration)
        // Without a value AsyncHTTPClient would take ten seconds.
        configuration.timeout.connect = TimeAmount(key.connect ?? .seconds(3_155_760_000))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        if let proxy = key.proxy {
            configuration.proxy = .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
        }
        return configuration
    }
}
#endif
