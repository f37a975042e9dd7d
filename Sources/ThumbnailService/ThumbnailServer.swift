import Hummingbird
import HummingbirdCore
public import Logging
public import Metrics
import NIOCore
import PlatformImage
import ServiceLifecycle
import UnixSignals

/// The thumbnail service of a process: listens for requests, serves them, and drains on shutdown.
public struct ThumbnailServer: Sendable {
    /// The configuration of the service.
    public let configuration: ServiceConfiguration
    let engine: ThumbnailEngine
    private let dialects: Dialects
    private let gallery: GalleryHandler?
    private let connections: ConnectionTable
    private let logger: Logger

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter factory: Metrics backend; nil creates a ``PrometheusRegistry``, which the administration listener
    ///   exports at `/metrics`.
    /// - Throws: `internalFault` with a message for the operator when the configuration is invalid: no key while unsafe
    ///   targets are not allowed, a key under 16 bytes, an invalid address range or host pattern, an `urlPrefix` that
    ///   is not an http or https URL ending with `/`, a missing directory; decode workers that cannot start.
    public init(
        _ configuration: ServiceConfiguration, logger: Logger, metrics factory: (any MetricsFactory)? = nil
    ) throws(ServiceError) {
        guard !configuration.signing.keys.isEmpty || configuration.signing.allowsUnsafe else {
            throw ServiceError(
                .internalFault, "no signing key is configured, and signing.unsafe is off")
        }
        self.configuration = configuration
        self.logger = logger
        let metrics = ServiceMetrics(factory: factory)
        let sources = try SourceReader(configuration, metrics: metrics, logger: logger)
        let isolation =
            configuration.decode.isIsolated ? try DecodeIsolation(configuration, logger: logger) : .inProcess
        engine = ThumbnailEngine(
            configuration, sources: sources, metrics: metrics, isolation: isolation, logger: logger)
        dialects = try Dialects(configuration)
        gallery = try GalleryHandler(engine)
        connections = try ConnectionTable(configuration.server)
    }

    /// Updates the gauges: cache sizes, memory, queue. The administration listener does so automatically; with another
    /// metrics backend, call it before each export.
    public func updateMeters() { engine.updateGauges() }

    /// Serves until the process receives SIGTERM or SIGINT, or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - onListening: Called once with the bound port.
    ///   - onAdminListening: Called once, before `onListening`, with the port of metrics and health; not called without
    ///     an administration listener.
    /// - Throws: `internalFault` with a message for the operator when a port cannot be bound; other errors unchanged.
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
        let state = ServiceState()
        let server = configuration.server
        logger.info(
            "limits",
            metadata: [
                "render_threads": "\(engine.queue.width)", "inflight_bytes": "\(configuration.limits.inFlightBytes)",
                "result_memory_bytes": "\(configuration.cache.resultMemory)",
            ])
        let responder = ThumbnailResponder(
            engine: engine, dialects: dialects, state: state, extra: gallery,
            // The gallery shows the cache layer of each image.
            showsDebugFields: server.showsDebugFields || gallery != nil, logger: logger)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = server.maxHeaderBytes
        decoder.maxHeaderListSize = server.maxHeaderBytes
        let connections = connections
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                HostFieldCheck(), ClientDisconnectHandler(), SlowClient(SlowClient.Limits(server)),
                ConnectionTracker(connections),
            ],
            idleTimeout: TimeAmount(server.idleTimeout), httpDecoderConfiguration: decoder)
        var application = Application(
            responder: responder, server: .connections(channel),
            configuration: ApplicationConfiguration(
                address: .hostname(server.host, port: server.port), serverName: ServiceIdentity.name,
                availableConnectionsDelegate: OpenConnections(
                    maxConnections: server.maxConnections, metrics: engine.metrics)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let shutdown {
            services.append(
                .init(
                    service: ShutdownRequest(stream: shutdown), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let port = server.adminPort {
            let admin = AdminService(
                port: port, responder: AdminResponder(engine: engine, state: state), logger: logger,
                onListening: onAdminListening)
            application.beforeServerStarts { try await admin.waitUntilListening() }
            services.append(.init(service: admin))
        }
        services += [
            .init(service: PublicService(application: application, server: server)),
            .init(service: DrainService(state: state, delay: server.drainDelay, waits: waits)),
        ]
        var group = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = server.drainDelay + server.drainTimeout
        do {
            try await ServiceGroup(configuration: group).run()
        } catch {
            await engine.flush()
            throw error
        }
        // Results of the last requests are still being written to disk.
        await engine.flush()
    }
}

extension ConnectionTable {
    /// Creates the table from the configuration.
    ///
    /// - Throws: `internalFault` for an invalid IP address range.
    convenience init(_ server: ServiceConfiguration.Server) throws(ServiceError) {
        let proxies = try server.proxies.map { (text) throws(ServiceError) in
            guard let range = AddressRange(text) else {
                throw ServiceError(
                    .internalFault, "server.proxies: \(text) is not an IP address range in CIDR notation")
            }
            return range
        }
        // If `X-Forwarded-For` is trusted, all connections come from proxies. A limit per peer address would limit a
        // proxy with all its clients, so there is no such limit.
        let maxConnectionsPerClient = server.trustsForwardedFor ? nil : server.maxConnectionsPerClient
        self.init(
            maxConnections: server.maxConnections, maxConnectionsPerClient: maxConnectionsPerClient, proxies: proxies)
    }
}

extension SlowClient.Limits {
    init(_ server: ServiceConfiguration.Server) {
        self.init(
            header: TimeAmount(server.headerTimeout), request: TimeAmount(server.requestTimeout),
            stalledResponse: TimeAmount(server.idleTimeout))
    }
}

/// The public listener.
private struct PublicService<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let application: Application<Responder>
    let server: ServiceConfiguration.Server

    /// Runs the listener until it is stopped.
    ///
    /// - Throws: `internalFault` with a message for the operator when the port cannot be bound.
    func run() async throws {
        do {
            try await application.run()
        } catch let error where error is IOError || error is SocketAddressError {
            throw ServiceError(
                .internalFault, "server.port: cannot listen on \(server.host):\(server.port): \(error)")
        }
    }
}

/// Requests the shutdown of its group without a signal.
private struct ShutdownRequest: Service {
    let stream: AsyncStream<Never>

    func run() async throws { for await _ in stream {} }
}

/// The waits between the request for a shutdown and the end of the listener.
struct DrainWaits: Sendable {
    /// Waits for `drain.delay`; requests are served meanwhile.
    var delay: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    /// Called after requests are rejected and before the listener closes.
    var beforeClose: @Sendable () async -> Void = {}
}

/// Starts draining the server at shutdown. The services of a `ServiceGroup` are shut down in reverse order, so this
/// service, the last of its group, is shut down first.
private struct DrainService: Service {
    let state: ServiceState
    let delay: Duration
    let waits: DrainWaits

    func run() async throws {
        try await gracefulShutdown()
        state.beginDraining()
        // The listener is shut down only when this returns. Until then load balancers can see that the service is not
        // ready, and requests that they still send are served.
        await waits.delay(delay)
        state.rejectRequests()
        await waits.beforeClose()
    }
}
