import PlatformImageLoader
import PlatformImageLoopbackOrigin
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
        var lines = fields
        if !lines.contains(where: { $0.0.lowercased() == "host" }) { lines.append(("Host", "127.0.0.1:\(port)")) }
        lines.append(("Connection", "close"))
        if let body { lines.append(("Content-Length", "\(body.count)")) }
        let client = try await RawClient(port: port)
        defer { client.close() }
        let head = "\(method) \(target) HTTP/1.1\r\n" + lines.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        // The service may respond, and close the connection, before it has read the body.
        try? await client.send(Array(head.utf8) + (body ?? []))
        return try Reply(try await client.readToEnd(), isHead: method == "HEAD")
    }
}

extension RunningService.Reply {
    /// Parses a response. Its body has the length of Content-Length, except for HEAD and 204 and 304.
    init(_ bytes: [UInt8], isHead: Bool) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)), "no complete response: \(text.prefix(80))")
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let line = try #require(lines.first)
        status = try #require(Int(line.split(separator: " ")[1]))
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts.dropFirst().joined().drop { $0 == " " }))
        }
        body = Array(bytes[end.upperBound...])
        let length = self["Content-Length"].flatMap { Int($0) }
        if isHead || status == 204 || status == 304 {
            try #require(body.isEmpty)
        } else {
            try #require(body.count == length, "the body has \(body.count) of \(length ?? -1) bytes")
        }
    }
}

/// Runs a service until `body` returns.
///
/// - Parameters:
///   - origin: Allowed as a source, although it is on loopback.
///   - log: Receives the log of the service.
///   - metrics: Receives the metrics.
///   - shutdown: The service begins to drain when this stream ends; nil for no drain.
///   - drainWaits: The waits of the drain.
///   - change: Changes the configuration. Before this change, the configuration accepts unsigned targets.
func withService<Value: Sendable>(
    origin: LoopbackOrigin? = nil, log: ServiceLog = .none, metrics: PrometheusRegistry = PrometheusRegistry(),
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
    let server = try ThumbnailServer(configuration, log: log, metrics: metrics)
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
