import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The administration listener, always on the loopback interface. It starts before the public listener and stops after
/// it.
struct AdminService: Service {
    static let host = "127.0.0.1"

    private let port: Int
    private let application: Application<AdminResponder>
    private let listening: AsyncStream<Never>

    /// Creates the listener.
    ///
    /// - Parameters:
    ///   - port: Port to listen on; 0 for any free port.
    ///   - onListening: Called once with the bound port.
    init(
        port: Int, responder: AdminResponder, logger: Logger, onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.port = port
        let (listening, ready) = AsyncStream.makeStream(of: Never.self)
        self.listening = listening
        application = Application(
            responder: responder,
            server: .connections(
                HTTP1Channel.Configuration(
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

    /// Runs the listener until it is stopped.
    ///
    /// - Throws: `internalFault` with a message for the operator when the port cannot be bound.
    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw ServiceError(
                .internalFault,
                "server.adminPort: cannot listen on \(Self.host):\(port) for metrics and health: \(error)")
        }
    }

    /// Returns when the port is bound.
    ///
    /// - Throws: `CancellationError` when the service group ends before that.
    func waitUntilListening() async throws {
        for await _ in listening {}
        try Task.checkCancellation()
    }
}

/// Serves metrics and health on the administration listener.
struct AdminResponder: HTTPResponder {
    typealias Context = ThumbnailResponder.Context

    let engine: ThumbnailEngine
    let state: ServiceState

    func respond(to request: Request, context: Context) async -> Response {
        let response = serviceResponse(request)
        var fields = response.fields
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentLength] = String(response.body.count)
        return Response(
            status: .init(code: response.status), headers: fields,
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }

    private func serviceResponse(_ request: Request) -> ServiceResponse {
        guard request.head.authority != nil else { return .plain(400, HostFieldCheck.invalidHostError.message + "\n") }
        // Metrics collectors may add a query, which is ignored.
        let target = request.head.path.map { $0.prefix { $0 != "?" } } ?? ""
        guard request.method == .get || request.method == .head else {
            var response = ServiceResponse.plain(405, "supported methods: GET, HEAD\n")
            response.fields[.allow] = "GET, HEAD"
            return response
        }
        if let health = ServiceResponse.health(String(target), isReady: state.isReady) { return health }
        guard target == "/metrics" else {
            return .plain(404, "not found; available targets: /metrics, /health/live, /health/ready\n")
        }
        // If the host program has installed another metrics factory, it exports the metrics itself.
        guard let registry = engine.metrics.factory as? PrometheusRegistry else {
            return .plain(404, "this server does not export metrics: the host program uses another metrics backend\n")
        }
        engine.updateGauges()
        var response = ServiceResponse(status: 200, body: Array(registry.text.utf8))
        response.fields = [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"]
        return response
    }
}
