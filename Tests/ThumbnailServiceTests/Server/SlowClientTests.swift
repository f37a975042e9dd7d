import Dispatch
import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Time limits of slow clients, over real sockets. `RequestClockTests` tests the rules with a simulated clock.
@Suite(.timeLimit(.minutes(30))) struct SlowClientTests {
    private static let limit = Duration.milliseconds(500)
    /// The server counts milliseconds, so it may be 1 ms early.
    private static let minElapsed = Duration.milliseconds(490)
    private static let live = "GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n"
    private static let postHead = "POST /post/unsafe/20x10/body HTTP/1.1\r\nHost: a.example\r\nContent-Length: "

    /// A connection on which one request was answered: the time limits of the next request begin with its first byte.
    private static func warm(_ service: RunningService) async throws -> RawClient {
        while true {
            let client = try await RawClient(port: service.port)
            // On a busy machine the header timeout may pass before the request arrives.
            try? await client.send(live)
            if try await client.waitForResponse().hasPrefix("HTTP/1.1 200 ") { return client }
        }
    }

    @Test(.requirement("SV20")) func defaultTimeLimitsAre5SecondsForTheHeaderAnd10SecondsForTheRequest() {
        let server = ServiceConfiguration().server
        #expect(server.headerTimeout == .seconds(5))
        #expect(server.requestTimeout == .seconds(10))
        #expect(server.idleTimeout == .seconds(60))
    }

    @Test(.requirement("SV20"), arguments: ["", "GET /health/live HT"], [false, true])
    func incompleteHeaderEndsTheConnectionAtTheHeaderTimeout(_ header: String, isFirst: Bool) async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        try await withService(origin: origin) {
            $0.server.headerTimeout = Self.limit
            $0.server.idleTimeout = .seconds(3_600)
        } _: { service in
            let answering = try await Self.warm(service)
            try await answering.send(
                "GET /unsafe/20x10/127.0.0.1:\(origin.port)/a.png HTTP/1.1\r\nHost: a.example\r\n\r\n")
            await origin.waitForRequests(1)
            let reading = try await Self.warm(service)
            try await reading.send(Self.postHead + "10\r\n\r\n0123456")
            let idle = try await Self.warm(service)
            await yieldUntil { service.engine.bodies.reservedBytes == 10 }

            let start = ContinuousClock.now
            let slow = isFirst ? try await RawClient(port: service.port) : try await Self.warm(service)
            // Between two requests, only the idle timeout applies.
            try? await slow.send(isFirst || !header.isEmpty ? header : "G")
            try await slow.waitForEnd()

            #expect(ContinuousClock.now - start >= Self.minElapsed)
            // Complete headers have no header timeout.
            #expect(answering.isOpen)
            #expect(reading.isOpen)
            #expect(idle.isOpen)
            for client in [answering, reading, idle, slow] { client.close() }
        }
        await origin.stop()
    }

    @Test(.requirement("SV20")) func incompleteBodyEndsTheConnectionAtTheRequestTimeout() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        try await withService {
            $0.server.requestTimeout = Self.limit
            $0.server.idleTimeout = .seconds(3_600)
            $0.limits.threads = 1
        } _: { service in
            let (gate, end) = await block(service.engine.queue)
            defer { gate.signal() }
            let complete = try await Self.warm(service)
            try await complete.send(Array((Self.postHead + "\(image.count)\r\n\r\n").utf8) + image)
            await yieldUntil { service.engine.admission.waitingCount == 1 }
            let header = try await RawClient(port: service.port)
            try await header.send("GET /health/live HT")

            let start = ContinuousClock.now
            let slow = try await RawClient(port: service.port)
            try? await slow.send(Self.postHead + "10\r\n\r\n012345678")
            try await slow.waitForEnd()

            #expect(ContinuousClock.now - start >= Self.minElapsed)
            // The time of a render is not part of the request timeout, and an incomplete header has its own timeout.
            #expect(header.isOpen)
            gate.signal()
            await end.value
            #expect(try await complete.waitForResponse().hasPrefix("HTTP/1.1 200 "))
            for client in [complete, header, slow] { client.close() }
        }
    }

    @Test(.requirement("SV20")) func idleConnectionEndsAtTheIdleTimeout() async throws {
        try await withService {
            $0.server.idleTimeout = Self.limit
        } _: { service in
            let silent = try await RawClient(port: service.port)
            let start = ContinuousClock.now
            let idle = try await Self.warm(service)

            try await idle.waitForEnd()

            #expect(ContinuousClock.now - start >= Self.minElapsed)
            // The first request of a connection has the header timeout instead.
            #expect(silent.isOpen)
            silent.close()
            idle.close()
        }
    }

    /// The time limit is the idle timeout, at most 20 s.
    @Test(.requirement("SV20")) func clientThatReadsNothingOfItsResponsesIsDisconnected() async throws {
        let image = try Bitmap.landscape(200, 150).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        try await withService(origin: origin) {
            $0.server.idleTimeout = Self.limit
        } _: { service in
            let target = "/unsafe/200x150/127.0.0.1:\(origin.port)/a.png"
            let size = try await service.send(target).body.count
            await yieldUntil { service.engine.server?.connectionCount == 0 }
            // More than the socket buffers of both sides.
            let count = (16 << 20) / size
            let request = "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n"
            let client = try await RawClient(port: service.port)
            let start = ContinuousClock.now
            // The service reads a request only when the previous response was sent, so a part of them is not sent.
            let sending = Task { try? await client.send(String(repeating: request, count: count)) }
            await yieldUntil { service.engine.server?.connectionCount == 1 }

            await yieldUntil { service.engine.server?.connectionCount == 0 }

            #expect(ContinuousClock.now - start >= Self.minElapsed)
            #expect(try await client.readToEnd().count < count * size)
            await sending.value
            client.close()
        }
        await origin.stop()
    }
}
