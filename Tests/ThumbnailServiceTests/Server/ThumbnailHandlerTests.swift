import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Requests as values, as an application on another HTTP server sends them.
@Suite(.timeLimit(.minutes(30))) struct ThumbnailHandlerTests {
    private static func handler(
        log: ServiceLog = .none, _ change: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws -> ThumbnailHandler {
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        configuration.server.showsDebugFields = true
        change(&configuration)
        return try ThumbnailHandler(configuration, log: log)
    }

    private static func get(_ target: String) -> ThumbnailHandler.Request {
        ThumbnailHandler.Request(method: "GET", target: target, host: "a.example")
    }

    @Test func responseHasTheFieldsAndTheBodyOfTheServersResponse() async throws {
        let image = try Bitmap.landscape(60, 40).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        let allow = { (configuration: inout ServiceConfiguration) in
            configuration.source.allow = ["127.0.0.1"]
            configuration.source.ports = [origin.port]
            configuration.source.allowedRanges = ["127.0.0.1/32"]
        }
        let target = "/unsafe/30x20/127.0.0.1:\(origin.port)/a.png"
        let ofServer = try await withService(origin: origin) { service in try await service.send(target) }
        let recorder = LogRecorder()
        let handler = try Self.handler(log: recorder.log, allow)

        for layer in ["render", "memory"] {
            let response = await handler.respond(to: Self.get(target))
            let fields = Dictionary(uniqueKeysWithValues: response.fields.map { ($0.name, $0.value) })
            #expect(response.status == 200)
            #expect(response.body == ofServer.body)
            #expect(!response.closesConnection)
            #expect(fields["X-Cache"] == layer)
            for name in ["ETag", "Content-Type", "Cache-Control", "X-Content-Type-Options"] {
                #expect(fields[name] != nil && fields[name] == ofServer[name], "\(name)")
            }
            #expect(fields["Content-Length"] == nil)
        }
        #expect(recorder.lines.value.count { $0.message == "request" } == 2)
        await handler.flush()
        await origin.stop()
    }

    @Test func bodyIsReadInPartsOnlyForATargetThatNeedsIt() async throws {
        let image = try Bitmap.landscape(60, 40).png()
        let parts = Locked(image.map { [$0] })
        var request = Self.get("/post/unsafe/30x20/body")
        request.method = "POST"
        request.body = {
            var next: [UInt8]?
            parts.update { if !$0.isEmpty { next = $0.removeFirst() } }
            return next
        }
        let handler = try Self.handler()

        #expect(await handler.respond(to: request).status == 200)
        #expect(parts.value.isEmpty)

        parts.update { $0 = [[1]] }
        request.target = "/post/unsafe/30x20:x/body"
        #expect(await handler.respond(to: request).status == 400)
        #expect(parts.value == [[1]])

        struct Failure: Error {}
        request.target = "/post/unsafe/30x20/body"
        request.body = { throw Failure() }
        #expect(await handler.respond(to: request).status == 400)
    }

    @Test(
        arguments: [
            ("a.example", "GET", 200), (nil, "GET", 200), ("a b", "GET", 400), ("", "GET", 400),
            ("[::1]:80", "HEAD", 200),
            ("a.example", "BREW", 405), ("a.example", "get", 405), ("a.example", "DELETE", 405),
        ] as [(String?, String, Int)])
    func hostAndMethodAreChecked(_ host: String?, _ method: String, _ status: Int) async throws {
        let target = status == 405 ? "/unsafe/8x8/a.example/b.png" : "/health/ready"
        let request = ThumbnailHandler.Request(method: method, target: target, host: host)
        #expect(try await Self.handler().respond(to: request).status == status)
    }

    @Test func cancelledTaskEndsItsRequest() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        let handler = try Self.handler {
            $0.source.allow = ["127.0.0.1"]
            $0.source.ports = [origin.port]
            $0.source.allowedRanges = ["127.0.0.1/32"]
            $0.server.deadline = .seconds(3_600)
            $0.source.firstByteTimeout = .seconds(3_600)
            $0.source.timeout = .seconds(3_600)
        }
        let task = Task { await handler.respond(to: Self.get("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png")) }
        await origin.waitForRequests(1)

        task.cancel()

        #expect(await task.value.status == 504)
        #expect(handler.responder.engine.counters.disconnectCount == 1)
        await origin.stop()
    }

    @Test func metricsAreInTheRegistryOfTheProgram() async throws {
        let registry = PrometheusRegistry()
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        let handler = try ThumbnailHandler(configuration, metrics: registry)
        _ = await handler.respond(to: Self.get("/health/live"))
        handler.updateMeters()
        let samples = try MetricSample.all(in: registry.text)
        let labels = ["dialect": "none", "status": "2xx", "result": "other"]
        #expect(samples.value("imagetool_requests_total", labels) == 1)
        #expect(samples.value("imagetool_open_connections") == 0)
        #expect(samples.value("imagetool_inflight_bytes_limit").map { $0 > 0 } == true)
    }
}
