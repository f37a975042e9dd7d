#if Service
import Hummingbird
import HummingbirdCore
public import Logging
public import Metrics
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The thumbnail service as a service of a process: listens, answers, drains.
public struct ThumbnailServer: Sendable {
    /// What the operator decided.
    public let configuration: ServiceConfiguration
    let engine: ThumbnailEngine
    private let dialects: Dialects
    private let gallery: GalleryHandler?
    private let connections: ConnectionTable
    private let logger: Logger

    /// A server that does not listen yet.
    ///
    /// - Parameter factory: Where metrics are kept; nil for a ``PrometheusRegistry`` of the service's own, which the admin
    ///   listener shows under `/metrics`.
    /// - Throws: `internalFault` with a message for the operator when the configuration makes no service: no key and not
    ///   unsafe, a key under 16 bytes, an address range or a host pattern that is none, an `urlPrefix` that lets identifiers
    ///   leave it, a folder that is not there.
    public init(
        _ configuration: ServiceConfiguration, logger: Logger, metrics factory: (any MetricsFactory)? = nil
    ) throws(ServiceError) {
        guard !configuration.signing.keys.isEmpty || configuration.signing.allowsUnsafe else {
            throw ServiceError(
                .internalFault, "there is no key to verify signatures with, and unsafe targets are not allowed")
        }
        self.configuration = configuration
        self.logger = logger
        let metrics = ServiceMetrics(factory: factory)
        engine = ThumbnailEngine(
            configuration, sources: try SourceReader(configuration, metrics: metrics, logger: logger), metrics: metrics)
        dialects = try Dialects(configuration)
        gallery = try GalleryHandler(engine)
        connections = try ConnectionTable(configuration.server)
    }

    /// Sets the metrics that are read rather than counted: sizes of caches, memory, the queue. The admin listener does so
    /// by itself; with metrics kept elsewhere call it as often as those are read.
    public func updateMeters() { engine.updateGauges() }

    /// Serves until the process gets SIGTERM or SIGINT, or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - onListening: Is called once with the port that is listened on.
    ///   - onAdminListening: Is called once, before that, with the port of metrics and health; never without one.
    /// - Throws: `internalFault` with a message for the operator when the port of metrics and health cannot be listened
    ///   on; other errors of the system as they are.
    public func run(
        onListening: @escaping @Sendable (Int) async -> Void = { _ in },
        onAdminListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let state = ServiceState()
        let server = configuration.server
        let responder = ThumbnailResponder(
            engine: engine, dialects: dialects, state: state, extra: gallery,
            // The gallery shows where each picture came from.
            showsDebugFields: server.showsDebugFields || gallery != nil, logger: logger)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = server.maxHeaderBytes
        decoder.maxHeaderListSize = server.maxHeaderBytes
        let connections = connections
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                HostFieldCheck(), ClientDeparture(), SlowClient(SlowClient.Limits(server)),
                ConnectionPlace(connections),
            ],
            idleTimeout: TimeAmount(server.idleTimeout), httpDecoderConfiguration: decoder)
        var application = Application(
            responder: responder, server: .http1(configuration: channel),
            configuration: ApplicationConfiguration(
                address: .hostname(server.host, port: server.port), serverName: ServiceIdentity.name,
                availableConnectionsDelegate: OpenConnections(
                    atMost: server.maxConnections, metrics: engine.metrics)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let port = server.adminPort {
            let admin = AdminService(
                port: port, responder: AdminResponder(engine: engine, state: state), logger: logger,
                onListening: onAdminListening)
            application.beforeServerStarts { try await admin.waitUntilListening() }
            services.append(.init(service: admin))
        }
        services += [.init(service: application), .init(service: DrainService(state: state, delay: server.drainDelay))]
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
        // What the last requests have left is on its way only now.
        await engine.flush()
    }
}

extension ConnectionTable {
    /// - Throws: `internalFault` for a text that is no range of IP addresses.
    convenience init(_ server: ServiceConfiguration.Server) throws(ServiceError) {
        let proxies = try server.proxies.map { (text) throws(ServiceError) in
            guard let range = AddressRange(text) else {
                throw ServiceError(.internalFault, "server.proxies: \(text) is no range of IP addresses")
            }
            return range
        }
        // The field is trusted where all peers are proxies.
        let mostPerClient = server.trustsForwardedFor ? nil : server.maxConnectionsPerClient
        self.init(most: server.maxConnections, mostPerClient: mostPerClient, proxies: proxies)
    }
}

extension SlowClient.Limits {
    init(_ server: ServiceConfiguration.Server) {
        self.init(
            header: TimeAmount(server.headerTimeout), request: TimeAmount(server.requestTimeout),
            stalledAnswer: TimeAmount(server.idleTimeout))
    }
}

/// Says that the service stops. It is told first, because it stands last in the group.
private struct DrainService: Service {
    let state: ServiceState
    let delay: Duration

    func run() async throws {
        try await gracefulShutdown()
        state.beginDraining()
        // The listener is told only when this returns: until then who stands in front sees that the service is not ready.
        try? await Task.sleep(for: delay)
    }
}
#endif
