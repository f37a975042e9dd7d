package import PlatformImageLoader
import Synchronization

/// HTTP transport with SSRF protection. For every request, including each redirect, it checks the URL against the
/// policy, resolves the host once, checks all of its addresses, and connects to one of those addresses
/// (Docs/service-rules.md 5, SV1 to SV6 in Docs/service-security.md).
///
/// As a second line of defence, the remote address of every new connection is checked. Proxy settings of the
/// environment are ignored.
struct GuardedTransport: HTTPTransport {
    /// Maximum number of addresses of a host that are tried before a request fails.
    static let maxAddresses = 3

    private let policy: SourcePolicy
    private let resolver: any Resolver
    private let transport: CurlTransport
    private let minRate: TransferRate

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - minRate: Minimum transfer rate of a body.
    ///   - connectionsPerHost: Maximum number of connections per host, 1 or more; further requests wait.
    init(
        policy: SourcePolicy, resolver: any Resolver = SystemResolver(), minRate: TransferRate = TransferRate(),
        connectionsPerHost: Int = 8
    ) {
        self.policy = policy
        self.resolver = resolver
        self.minRate = minRate
        let table = policy.addresses
        transport = CurlTransport(
            connectionsPerHost: connectionsPerHost,
            connectionGuard: ConnectionGuard { peer in IPAddress(peer).map(table.allows) ?? false })
    }

    func validate(_ trust: TrustSettings) throws(LoadError) { try transport.validate(trust) }

    func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        do {
            let target = try policy.validate(request.url)
            let addresses = try await addresses(of: target.host, within: timeouts.connect)
            try Task.checkCancellation()
            var request = request
            request.url = target.url
            OriginExchange.current?.send(&request)
            let response = try await transport.send(
                request, to: addresses.prefix(Self.maxAddresses).map(\.description), trust: trust, timeouts: timeouts)
            for location in response.head.fields[lines: "Location"] {
                try policy.validateRedirect(from: target, to: String(decoding: location, as: UTF8.self))
            }
            return HTTPResponse(head: response.head, body: minRate.limiting(response.body))
        } catch let error as ServiceError {
            throw LoadError(error)
        }
    }

    /// Resolves a host and checks all of its addresses.
    private func addresses(of host: SourceHost, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
        switch host {
        case .address(let address):
            try policy.validate(address)
            return [address]
        case .name(let name):
            let addresses = try await resolver.addresses(of: name, within: timeout).map(\.unmapped)
            // One blocked address among public ones indicates an attack or a misconfiguration, so the request fails.
            for address in addresses { try policy.validate(address) }
            guard !addresses.isEmpty else {
                throw ServiceError(.originFailed, code: "unknownHost", "the source's host has no IP address")
            }
            return addresses
        }
    }
}

/// Creates a transport with SSRF protection for a program that loads URLs of untrusted requests.
///
/// - Parameters:
///   - allow: Allowed hosts: `example.com`, `*.example.com`, or `*` for all.
///   - ports: Allowed ports, 1...65535.
///   - exceptions: IP addresses or ranges in CIDR notation that are allowed although they are not public.
/// - Throws: `configuration` for an invalid host, port or range.
package func makeGuardedTransport(
    allow: [String], ports: Set<Int>, exceptions: [String]
) throws(LoadError) -> any HTTPTransport {
    do throws(ServiceError) {
        return GuardedTransport(policy: try SourcePolicy(allow: allow, ports: ports, exceptions: exceptions))
    } catch {
        throw .configuration(error.message)
    }
}

extension LoadError {
    /// Wraps a service error as the cause of a loader error.
    fileprivate init(_ error: ServiceError) {
        self =
            error.status < 500
            ? .refused(error.message, cause: error)
            : .transport(error.message, isTimeout: error.reason == .originTimeout, cause: error)
    }
}

/// State of one fetch, passed through the loader to the transport as a task-local value.
final class OriginExchange: Sendable {
    /// The exchange of the current task. Tasks inherit it from the fetch that starts them, so shared work has the
    /// exchange of the first fetch.
    @TaskLocal static var current: OriginExchange?

    private let context: TraceContext?
    private let sent = Atomic(false)

    init(_ context: TraceContext?) { self.context = context }

    /// True when this fetch has sent a request; false, for example, after a cache hit or when the fetch shared the
    /// request of another fetch.
    var wasSent: Bool { sent.load(ordering: .relaxed) }

    /// Marks the request as sent and adds the trace context fields.
    func send(_ request: inout HTTPRequest) {
        sent.store(true, ordering: .relaxed)
        for (name, value) in context?.fields() ?? [] { request.fields.append(name, value) }
    }
}
