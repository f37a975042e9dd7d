import PlatformImage
public import PlatformImageLoader

/// Answers requests for thumbnails as values, so that an application on another HTTP server serves them in one route.
///
/// ```swift
/// let thumbnails = try ThumbnailHandler(configuration)
/// // in the route of the application's server, for every path below it:
/// let response = await thumbnails.respond(
///     to: .init(method: "GET", target: target, host: host, fields: fields, peer: address))
/// ```
///
/// The responses are those of ``ThumbnailServer``, with its caches, limits, log and metrics. What depends on
/// connections is up to the application's server: limits for connections and slow clients, and the cancellation of the
/// task that calls ``respond(to:)`` when its client leaves.
public struct ThumbnailHandler: Sendable {
    /// A request.
    public struct Request: Sendable {
        /// The method, such as `GET`; letters are case-sensitive.
        public var method: String
        /// Path and query exactly as the client sent them: signatures cover these bytes.
        public var target: String
        /// Value of the Host field; nil for a request without one.
        public var host: String?
        /// All header fields, in their order.
        public var fields: [(name: String, value: String)]
        /// IP address of the client in text form; nil for none. Only `limits.rendersPerClient` uses it.
        public var peer: String?
        /// Returns the next bytes of the body, and nil at its end; nil for a request without a body.
        public var body: (@Sendable () async throws -> [UInt8]?)?

        /// Creates a request.
        public init(
            method: String, target: String, host: String?, fields: [(name: String, value: String)] = [],
            peer: String? = nil, body: (@Sendable () async throws -> [UInt8]?)? = nil
        ) {
            (self.method, self.target, self.host) = (method, target, host)
            (self.fields, self.peer, self.body) = (fields, peer, body)
        }
    }

    /// A response.
    public struct Response: Sendable {
        /// Status code, 200 to 599.
        public let status: Int
        /// Header fields, without Content-Length, Date and Connection.
        public let fields: [(name: String, value: String)]
        /// The body. It is also set for a HEAD request, whose response must be sent without it and with its length as
        /// Content-Length.
        public let body: [UInt8]
        /// True when the connection should be closed after this response.
        public let closesConnection: Bool
    }

    let responder: ThumbnailResponder

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - configuration: Its settings for listeners and connections are not used.
    ///   - log: Receives a line for each request, and the faults of the service.
    ///   - metrics: Receives the metrics of Docs/service-metrics.md.
    /// - Throws: The errors of ``ThumbnailServer/init(_:log:metrics:)``.
    public init(
        _ configuration: ServiceConfiguration, log: ServiceLog = .none,
        metrics registry: PrometheusRegistry = PrometheusRegistry()
    ) throws(ServiceError) {
        guard !configuration.signing.keys.isEmpty || configuration.signing.allowsUnsafe else {
            throw ServiceError(
                .internalFault, "no signing key is configured, and signing.unsafe is off")
        }
        let metrics = ServiceMetrics(registry: registry)
        let sources = try SourceReader(configuration, metrics: metrics)
        let isolation = configuration.decode.isIsolated ? try DecodeIsolation(configuration, log: log) : .inProcess
        let engine = ThumbnailEngine(
            configuration, sources: sources, metrics: metrics, isolation: isolation, log: log)
        let gallery = try GalleryHandler(engine)
        responder = try ThumbnailResponder(
            engine: engine, dialects: try Dialects(configuration), extra: gallery,
            // The gallery shows the cache layer of each image.
            showsDebugFields: configuration.server.showsDebugFields || gallery != nil, log: log)
    }

    /// Answers a request. If the calling task is cancelled, the work for the request ends, unless another request needs
    /// it.
    public func respond(to request: Request) async -> Response {
        let response: ServiceResponse
        switch responder.begin(
            ServiceRequest(
                method: request.method, target: request.target, host: request.host, fields: request.fields,
                peer: request.peer))
        {
        case .response(let ready): response = ready
        case .work(let pending): response = await responder.complete(pending, body: request.body ?? { nil })
        }
        return Response(
            status: response.status, fields: response.fields.lines.map { ("\($0.name)", $0.value) },
            body: response.body, closesConnection: response.closesConnection)
    }

    /// Waits until all fetched sources and rendered results are on disk.
    public func flush() async { await responder.engine.flush() }

    /// Updates the gauges of the metrics: cache sizes, memory, queue. Call it before each export of the registry.
    public func updateMeters() { responder.engine.updateGauges() }
}
