#if Service
import PlatformImageLoader
import Synchronization

/// The way out of the service: every request, and so every hop of a redirect, is held against the policy, its host is
/// looked up once, all of its addresses are vetted, and one of those is what is connected to (SERVICE.md 5, SV1 to SV6).
///
/// A second look at the peer of every new connection stands behind it. There is no proxy, whatever the environment says.
struct GuardedTransport: HTTPTransport {
    /// Addresses of one host that are tried before a request fails.
    static let mostAddresses = 3

    private let policy: SourcePolicy
    private let resolver: any Resolver
    private let transport: AsyncHTTPClientTransport
    private let slowest: TransferRate

    /// - Parameters:
    ///   - slowest: What a body may come at and no slower.
    ///   - connectionsPerHost: 1 or more; requests beyond it wait.
    init(
        policy: SourcePolicy, resolver: any Resolver = SystemResolver(), slowest: TransferRate = TransferRate(),
        connectionsPerHost: Int = 8
    ) {
        self.policy = policy
        self.resolver = resolver
        self.slowest = slowest
        let table = policy.addresses
        transport = AsyncHTTPClientTransport(
            connectionsPerHost: connectionsPerHost,
            connectionGuard: ConnectionGuard { peer in IPAddress(peer).map(table.admits) ?? false })
    }

    func validate(_ trust: TrustSettings) throws(LoadError) { try transport.validate(trust) }

    func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        do {
            let target = try policy.vet(request.url)
            let addresses = try await addresses(of: target.host, within: timeouts.connect)
            try Task.checkCancellation()
            var request = request
            request.url = target.url
            OriginExchange.current?.send(&request)
            let response = try await transport.send(
                request, to: addresses.prefix(Self.mostAddresses).map(\.description), trust: trust, timeouts: timeouts)
            for location in response.head.fields[lines: "Location"] {
                try policy.vetRedirect(from: target, to: String(decoding: location, as: UTF8.self))
            }
            return HTTPResponse(head: response.head, body: slowest.timing(response.body))
        } catch let error as ServiceError {
            throw LoadError(error)
        }
    }

    /// The addresses of a host, all of them vetted.
    private func addresses(of host: SourceHost, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
        switch host {
        case .address(let address):
            try policy.vet(address)
            return [address]
        case .name(let name):
            let addresses = try await resolver.addresses(of: name, within: timeout).map(\.unmapped)
            // One blocked answer among public ones is an attempt, or a mistake: it is not chosen around.
            for address in addresses { try policy.vet(address) }
            guard !addresses.isEmpty else { throw ServiceError(.originFailed, "the source's host has no address") }
            return addresses
        }
    }
}

extension LoadError {
    /// The error of a transport that has this cause.
    fileprivate init(_ error: ServiceError) {
        self =
            error.status < 500
            ? .refused(error.message, cause: error)
            : .transport(error.message, isTimeout: error.reason == .originTimeout, cause: error)
    }
}

/// One fetch on its way through the loader, where others may join it: the transport below sees whose it is.
final class OriginExchange: Sendable {
    /// Tasks take it over from the fetch that begins them, so work that others joined has that of the first.
    @TaskLocal static var current: OriginExchange?

    private let context: TraceContext?
    private let sent = Atomic(false)

    init(_ context: TraceContext?) { self.context = context }

    /// False when the fetch was answered without a request of its own.
    var isSent: Bool { sent.load(ordering: .relaxed) }

    /// Notes that a request goes out, and gives it its place in the trace.
    func send(_ request: inout HTTPRequest) {
        sent.store(true, ordering: .relaxed)
        for (name, value) in context?.fields() ?? [] { request.fields.append(name, value) }
    }
}
#endif
