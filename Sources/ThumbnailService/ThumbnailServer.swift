import PlatformImage
import PlatformImageHTTPServer
public import PlatformImageLoader

/// The thumbnail service of a process: listens for requests, serves them, and drains on shutdown.
public struct ThumbnailServer: Sendable {
    /// The configuration of the service.
    public let configuration: ServiceConfiguration
    /// Answers the requests of the server; an application may answer requests of its own with it.
    public let handler: ThumbnailHandler
    private let limits: ConnectionLimits
    private let log: ServiceLog

    /// Maximum time for which a client may read nothing of its response.
    private static let maxStall = Duration.seconds(20)
    /// Minimum for the maximum size of the results that clients have not received completely, in bytes.
    private static let minQueuedBytes = 64 << 20

    var engine: ThumbnailEngine { handler.responder.engine }

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - log: Receives a line for each request, and the faults of the service.
    ///   - metrics: Receives the metrics, which the administration listener exports at `/metrics`.
    /// - Throws: `internalFault` with a message for the operator when the configuration is invalid: no key while unsafe
    ///   targets are not allowed, a key under 16 bytes, an invalid address range or host pattern, an `urlPrefix` that
    ///   is not an http or https URL ending with `/`, a missing directory; decode workers that cannot start.
    public init(
        _ configuration: ServiceConfiguration, log: ServiceLog = .none,
        metrics registry: PrometheusRegistry = PrometheusRegistry()
    ) throws(ServiceError) {
        self.configuration = configuration
        self.log = log
        limits = try ConnectionLimits(configuration.server)
        handler = try ThumbnailHandler(configuration, log: log, metrics: registry)
    }

    /// Updates the gauges: cache sizes, memory, queue. The administration listener does so automatically; call it
    /// before other exports of the registry.
    public func updateMeters() { engine.updateGauges() }

    /// Serves until the process receives SIGTERM or SIGINT, or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - onListening: Called once with the bound port.
    ///   - onAdminListening: Called once, before `onListening`, with the port of metrics and health; not called without
    ///     an administration listener.
    /// - Throws: `internalFault` with a message for the operator when a port cannot be bound.
    public func run(
        onListening: @escaping @Sendable (Int) async -> Void = { _ in },
        onAdminListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        try await run(shutdown: nil, onListening: onListening, onAdminListening: onAdminListening)
    }

    /// Serves as ``run(onListening:onAdminListening:)``.
    ///
    /// - Parameters:
    ///   - shutdown: When this stream ends, the service drains as after SIGTERM; nil for no such request.
    ///   - waits: The waits of the shutdown; tests control them.
    func run(
        shutdown: AsyncStream<Never>?, drainWaits waits: DrainWaits = DrainWaits(),
        onListening: @escaping @Sendable (Int) async -> Void,
        onAdminListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let signals = ShutdownSignals()
        DescriptorLimit.raise()
        log.write(
            .info, "limits",
            [
                ("render_threads", .text("\(engine.queue.width)")),
                ("inflight_bytes", .text("\(configuration.limits.inFlightBytes)")),
                ("result_memory_bytes", .text("\(configuration.cache.resultMemory)")),
            ])
        if configuration.server.isAdminPublic, configuration.server.adminToken == nil {
            log.write(
                .warning, "server.adminHost is not a loopback address, and server.adminToken is not set",
                [("host", .text(configuration.server.adminHost))])
        }
        var responder = handler.responder
        let state = ServiceState()
        responder.state = state
        let admin = try await startAdmin(state)
        if let admin { await onAdminListening(admin.ports[0]) }
        let server: HTTPServer
        do throws(ServiceError) {
            server = try await start(responder)
        } catch {
            await admin?.stop()
            throw error
        }
        engine.setServer(server)
        await onListening(server.ports[0])
        await Self.shutdownRequest(signals.signals, shutdown)
        log.write(.info, "draining")
        await drain(server, state, waits)
        engine.setServer(nil)
        await admin?.stop()
        // Results of the last requests are still being written to disk.
        await engine.flush()
        log.write(.info, "stopped")
    }

    /// Starts the public listener.
    private func start(_ responder: ThumbnailResponder) async throws(ServiceError) -> HTTPServer {
        let server = configuration.server
        var settings = ServerConfiguration(listeners: [.tcp(host: server.host, port: server.port)])
        settings.serverName = ServiceIdentity.name
        settings.loops = AvailableProcessors().count
        settings.connections = limits
        settings.connections.maxConnections = min(limits.maxConnections, DescriptorLimit.connections)
        settings.connections.maxQueuedBytes = max(Self.minQueuedBytes, configuration.limits.inFlightBytes / 4)
        settings.message.targetBytes = server.maxTargetBytes
        settings.message.fieldBytes = server.maxHeaderBytes
        settings.time.head = server.headerTimeout
        settings.time.request = server.requestTimeout
        settings.time.idle = server.idleTimeout
        settings.time.stalledResponse = min(server.idleTimeout, Self.maxStall)
        do throws(ServerError) {
            return try await HTTPServer.start(settings, handler: ServiceRequestHandler(responder: responder))
        } catch {
            throw ServiceError(.internalFault, "server.port: \(error)")
        }
    }

    /// Starts the administration listener; nil when the configuration has none.
    private func startAdmin(_ state: ServiceState) async throws(ServiceError) -> HTTPServer? {
        guard let port = configuration.server.adminPort else { return nil }
        var settings = ServerConfiguration(listeners: [.tcp(host: configuration.server.adminHost, port: port)])
        settings.serverName = ServiceIdentity.name
        settings.connections.maxConnections = 64
        do throws(ServerError) {
            return try await HTTPServer.start(
                settings,
                handler: AdminHandler(engine: engine, state: state, token: configuration.server.adminToken))
        } catch {
            throw ServiceError(
                .internalFault,
                "server.adminPort: cannot listen on \(configuration.server.adminHost):\(port) for metrics and health: "
                    + error.reason
            )
        }
    }

    /// Returns after a signal, at the end of `shutdown`, or when the calling task is cancelled.
    private static func shutdownRequest(_ signals: AsyncStream<Void>, _ shutdown: AsyncStream<Never>?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            if let shutdown { group.addTask { for await _ in shutdown {} } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends the public listener. The connections that are left after `drain.timeout`, or when the calling task is
    /// cancelled, are closed.
    private func drain(_ server: HTTPServer, _ state: ServiceState, _ waits: DrainWaits) async {
        state.beginDraining()
        // Until the listener closes, load balancers can see that the service is not ready, and requests that they
        // still send are served.
        if !Task.isCancelled { await waits.delay(configuration.server.drainDelay) }
        state.rejectRequests()
        await waits.beforeClose()
        let timeout = configuration.server.drainTimeout
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.drain() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                await server.stop()
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ConnectionLimits {
    /// Creates the limits from the configuration.
    ///
    /// - Throws: `internalFault` for an invalid IP address range.
    init(_ server: ServiceConfiguration.Server) throws(ServiceError) {
        let proxies = try server.proxies.map { (text) throws(ServiceError) in
            guard let range = AddressRange(text) else {
                throw ServiceError(
                    .internalFault, "server.proxies: \(text) is not an IP address range in CIDR notation")
            }
            return range
        }
        self.init()
        maxConnections = server.maxConnections
        // If `X-Forwarded-For` is trusted, all connections come from proxies. A limit per peer address would limit a
        // proxy with all its clients, so there is no such limit.
        maxPerClient = server.trustsForwardedFor ? nil : server.maxConnectionsPerClient
        isExempt = { peer in
            guard let address = IPAddress(peer) else { return false }
            return proxies.contains { $0.contains(address) }
        }
    }
}

/// The waits between the request for a shutdown and the end of the listener.
struct DrainWaits: Sendable {
    /// Waits for `drain.delay`; requests are served meanwhile.
    var delay: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    /// Called after requests are rejected and before the listener closes.
    var beforeClose: @Sendable () async -> Void = {}
}
