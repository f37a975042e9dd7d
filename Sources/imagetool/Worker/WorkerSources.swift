import PlatformImage
import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

/// Images at URLs of requests of `imagetool worker`. Nothing is cached.
struct WorkerSources: Sendable {
    private let loader: ImageLoader
    /// Fields of each request.
    private let fields: HeaderFields

    /// - Parameters:
    ///   - hosts: Allowed hosts as `host`, for the default port, or `host:port`. An empty list allows all hosts with
    ///     public addresses and the default ports.
    ///   - addresses: Addresses and ranges in CIDR notation that are allowed although they are not public.
    ///   - maxBytes: Maximum size of a body.
    ///   - fields: Fields of each request.
    ///   - configure: Changes the configuration of the loader.
    /// - Throws: `LoadError` with the code `configuration`.
    init(
        hosts: [String], addresses: [String], maxBytes: Int?, fields: HeaderFields = [:],
        configure: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws(LoadError) {
        self.fields = fields
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        configuration.retry = .none
        configuration.maxResponseBytes = maxBytes ?? .max
        configure(&configuration)
        for host in hosts where Origin("http://\(host)") == nil || host.utf8.contains(where: "/?#@".utf8.contains) {
            throw .configuration("--allow-host must be a host or host:port, not '\(host)'")
        }
        let names = hosts.compactMap { Origin("http://\($0)")?.host }
        let ports = hosts.compactMap { Int($0[($0.lastIndex(of: ":") ?? $0.endIndex)...].dropFirst()) }
        let transport: any HTTPTransport = try makeGuardedTransport(
            allow: hosts.isEmpty ? ["*"] : names.map { String($0) }, ports: Set([80, 443] + ports),
            exceptions: addresses)
        loader = try ImageLoader(
            configuration: configuration, transport: AllowedHostsTransport(hosts: hosts, base: transport))
    }

    /// Loads the body at a URL.
    ///
    /// - Parameter deadline: Maximum time; `nil` for that of the loader.
    /// - Throws: ``Failure``.
    func load(_ url: String, deadline: Duration?) async throws -> [UInt8] {
        let load = Task { [loader, fields] in try await loader.data(for: DataRequest(url: url, fields: fields)) }
        let timeout = deadline.map { deadline in
            Task {
                try await Task.sleep(for: deadline)
                load.cancel()
            }
        }
        defer { timeout?.cancel() }
        let result = await withTaskCancellationHandler {
            await load.result
        } onCancel: {
            load.cancel()
        }
        do {
            return try result.get().bytes
        } catch let error as LoadError {
            if error.code == .cancelled, !Task.isCancelled {
                throw Failure(.refused, "timedOut: the body did not arrive before the deadline")
            }
            let code = error.code == .refused ? "urlNotAllowed" : "\(error.code)"
            throw Failure(SystemExit(error), "\(code): \(error.message)")
        }
    }
}

/// Transport that refuses every request, also after a redirect, to a host that is not in a list.
private struct AllowedHostsTransport: HTTPTransport {
    /// Allowed hosts as in ``WorkerSources``; an empty list allows all.
    let hosts: [String]
    let base: any HTTPTransport

    func validate(_ trust: TrustSettings) throws(LoadError) { try base.validate(trust) }

    func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        guard let origin = Origin(request.url) else { throw LoadError.refused("the URL is not an http or https URL") }
        let isAllowed =
            hosts.isEmpty
            || hosts.contains { host in
                origin == Origin("http://\(host)") || origin == Origin("https://\(host)")
            }
        guard isAllowed else { throw LoadError.refused("the host of the URL is not in --allow-host") }
        return try await base.send(request, trust: trust, timeouts: timeouts)
    }
}
