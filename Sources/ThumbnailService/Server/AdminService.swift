#if Service
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The listener for the operator, always on loopback: it comes before the public one and goes after it.
struct AdminService: Service {
    static let host = "127.0.0.1"

    private let port: Int
    private let application: Application<AdminResponder>
    private let listening: AsyncStream<Never>

    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - onListening: Is called once with the port that is listened on.
    init(
        port: Int, responder: AdminResponder, logger: Logger, onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.port = port
        let (listening, ready) = AsyncStream.makeStream(of: Never.self)
        self.listening = listening
        application = Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [HostFieldCheck()], idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(Self.host, port: port), serverName: ServiceIdentity.name,
                availableConnectionsDelegate: MaximumAvailableConnections(64)),
            onServerRunning: { channel in
                await onListening(channel.localAddress?.port ?? 0)
                ready.finish()
            },
            logger: logger)
    }

    /// - Throws: `internalFault` with a message for the operator when the port cannot be listened on.
    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServiceError(
                .internalFault,
                "server.adminPort: \(Self.host):\(port) cannot be listened on, where metrics and health are: \(error)")
        }
    }

    /// Returns when the port is listened on.
    ///
    /// - Throws: `CancellationError` when the group ends before that.
    func waitUntilListening() async throws {
        for await _ in listening {}
        try Task.checkCancellation()
    }
}
#endif
