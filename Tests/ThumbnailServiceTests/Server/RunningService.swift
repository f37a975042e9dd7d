import AsyncHTTPClient
import Logging
import PlatformImageLoopbackOrigin
import Metrics
import NIOCore
import NIOHTTP1
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// A service on an ephemeral port, and a client of it.
struct RunningService: Sendable {
    let port: Int
    let engine: ThumbnailEngine
    /// The port of the admin listener; nil without one.
    var adminPort: Int?

    /// A copy of this value that sends its requests to the admin listener.
    var admin: Self {
        get throws { Self(port: try #require(adminPort), engine: engine) }
    }

    struct Reply: Sendable {
        let status: Int
        let fields: [(name: String, value: String)]
        let body: [UInt8]

        subscript(name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Sends one request and reads the complete response.
    func send(
        _ target: String, method: String = "GET", fields: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Reply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(target)")
        request.method = .RAW(value: method)
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(request, deadline: .distantFuture)
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return Reply(
            status: Int(response.status.code), fields: response.headers.map { ($0.name, $0.value) },
            body: Array(bytes.readableBytesView))
    }
}

/// Runs a service until `body` returns.
///
/// - Parameters:
///   - origin: Allowed as a source, although it is on loopback.
///   - logger: Nil for no log.
///   - metrics: The destination of metrics; nil for the service's registry.
///   - shutdown: The service begins to drain when this stream ends; nil for no drain.
///   - drainWaits: The waits of the drain.
///   - change: Changes the configuration. Before this change, the configuration accepts unsigned targets.
func withService<Value: Sendable>(
    origin: LoopbackOrigin? = nil, logger given: Logger? = nil, metrics: (any MetricsFactory)? = nil,
    shutdown: AsyncStream<Never>? = nil, drainWaits: DrainWaits = DrainWaits(),
    _ change: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningService) async throws -> Value
) async throws -> Value {
    var configuration = ServiceConfiguration()
    configuration.server.port = 0
    configuration.server.adminPort = nil
    configuration.server.showsDebugFields = true
    configuration.signing.allowsUnsafe = true
    // Long timeouts: on a busy machine, tests that do not test timeouts must not time out.
    configuration.server.headerTimeout = .seconds(3_600)
    configuration.server.requestTimeout = .seconds(3_600)
    configuration.server.deadline = .seconds(3_600)
    configuration.source.connectTimeout = .seconds(3_600)
    configuration.source.firstByteTimeout = .seconds(3_600)
    configuration.source.timeout = .seconds(3_600)
    configuration.source.minRate = 0
    configuration.limits.queueWait = .seconds(3_600)
    if let origin {
        configuration.source.allow = ["127.0.0.1"]
        configuration.source.ports = [origin.port]
        configuration.source.allowedRanges = ["127.0.0.1/32"]
    }
    change(&configuration)
    let logger = given ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = try ThumbnailServer(configuration, logger: logger, metrics: metrics)
    let adminPort = Locked<Int?>(nil)
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            try await server.run(shutdown: shutdown, drainWaits: drainWaits) { port in
                ready.yield(port)
                ready.finish()
            } onAdminListening: { port in
                adminPort.update { $0 = port }
            }
            return nil
        }
        group.addTask {
            var iterator = ports.makeAsyncIterator()
            // If no port is reported, the server has failed to start; `run` throws the error.
            guard let port = await iterator.next() else { return nil }
            return try await body(RunningService(port: port, engine: server.engine, adminPort: adminPort.value))
        }
        defer { group.cancelAll() }
        while let value = try await group.next() { if let value { return value } }
        throw CancellationError()
    }
}
