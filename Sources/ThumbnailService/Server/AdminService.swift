#if Service
import HTTPTypes
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

/// What the operator alone sees: metrics and health, on a listener of their own.
struct AdminResponder: HTTPResponder {
    typealias Context = ThumbnailResponder.Context

    let engine: ThumbnailEngine
    let state: ServiceState

    func respond(to request: Request, context: Context) async -> Response {
        let answer = answer(request)
        var fields = answer.fields
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentLength] = String(answer.body.count)
        return Response(
            status: .init(code: answer.status), headers: fields,
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    private func answer(_ request: Request) -> ServiceAnswer {
        // Who collects metrics may add a query of his own.
        guard request.head.authority != nil else { return .plain(400, HostFieldCheck.refusal.message + "\n") }
        let target = request.head.path.map { $0.prefix { $0 != "?" } } ?? ""
        guard request.method == .get || request.method == .head else {
            var answer = ServiceAnswer.plain(405, "GET and HEAD are what is understood\n")
            answer.fields[.allow] = "GET, HEAD"
            return answer
        }
        if let health = ServiceAnswer.health(String(target), isDraining: state.isDraining) { return health }
        guard target == "/metrics" else { return .plain(404, "there are /metrics, /health/live and /health/ready\n") }
        // A program that brought metrics of its own shows them itself.
        guard let registry = engine.metrics.factory as? PrometheusRegistry else {
            return .plain(404, "the metrics of this service are kept elsewhere\n")
        }
        engine.updateGauges()
        var answer = ServiceAnswer(status: 200, body: Array(registry.text.utf8))
        answer.fields = [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"]
        return answer
    }
}
#endif
