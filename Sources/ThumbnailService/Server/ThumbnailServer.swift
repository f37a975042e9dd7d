#if Service
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The thumbnail service as a service of a process: listens, answers, drains.
public struct ThumbnailServer: Sendable {
    /// What the operator decided.
    public let configuration: ServiceConfiguration
    let engine: ThumbnailEngine
    private let dialects: Dialects
    private let logger: Logger

    /// A server that does not listen yet.
    ///
    /// - Throws: `internalFault` with a message for the operator when the configuration makes no service: no key and not
    ///   unsafe, an address range or a host pattern that is none, a folder that is not there.
    public init(_ configuration: ServiceConfiguration, logger: Logger) throws(ServiceError) {
        guard !configuration.signing.keys.isEmpty || configuration.signing.allowsUnsafe else {
            throw ServiceError(
                .internalFault, "there is no key to verify signatures with, and unsafe targets are not allowed")
        }
        guard configuration.signing.keys.allSatisfy({ !$0.isEmpty }) else {
            throw ServiceError(.internalFault, "a key is empty")
        }
        self.configuration = configuration
        self.logger = logger
        engine = ThumbnailEngine(configuration, sources: try SourceReader(configuration, logger: logger))
        dialects = try Dialects(configuration)
    }

    /// Serves until the process gets SIGTERM or SIGINT, or the calling task is cancelled.
    ///
    /// - Parameter onListening: Is called once with the port that is listened on.
    public func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let state = ServiceState()
        let server = configuration.server
        let responder = ThumbnailResponder(engine: engine, dialects: dialects, state: state, logger: logger)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = server.maxHeaderBytes
        decoder.maxHeaderListSize = server.maxHeaderBytes
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClientDeparture()], idleTimeout: TimeAmount(server.idleTimeout),
            httpDecoderConfiguration: decoder)
        let application = Application(
            responder: responder, server: .http1(configuration: channel),
            configuration: ApplicationConfiguration(
                address: .hostname(server.host, port: server.port), serverName: ServiceIdentity.name,
                availableConnectionsDelegate: MaximumAvailableConnections(server.maxConnections)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: application), .init(service: DrainService(state: state)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = server.drainTimeout
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

/// Says that the service stops. It is told first, because it stands last in the group.
private struct DrainService: Service {
    let state: ServiceState

    func run() async throws {
        try await gracefulShutdown()
        state.beginDraining()
    }
}
#endif
