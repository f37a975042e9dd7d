import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Requests between the shutdown signal and the end of the listener.
@Suite(.timeLimit(.minutes(30))) struct DrainTests {
    @Test func requestsDuringTheDrainDelayAreServedAndReadinessIs503() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        let (stream, shutdown) = AsyncStream.makeStream(of: Never.self)
        try await withService(origin: origin, shutdown: stream) {
            $0.server.adminPort = 0
            $0.server.drainDelay = .seconds(3_600)
        } _: { service in
            let open = try await RawClient(port: service.port)
            #expect(try await service.send("/health/ready").status == 200)

            shutdown.finish()
            while try await service.admin.send("/health/ready").status != 503 { try Task.checkCancellation() }

            #expect(try await service.send("/health/ready").status == 503)
            #expect(try await service.send("/health/live").status == 200)
            let target = "/unsafe/30x20/127.0.0.1:\(origin.port)/a.png"
            #expect(try await service.send(target).status == 200)
            try await open.send("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
            #expect(try await open.waitForResponse().hasPrefix("HTTP/1.1 200 "))
            open.close()
            let posted = try await service.send("/post/unsafe/20x10/body", method: "POST", body: file)
            #expect(posted.status == 200)
        }
        await origin.stop()
    }

    @Test func openConnectionGets503BetweenTheDrainDelayAndTheCloseOfTheListener() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        let (stream, shutdown) = AsyncStream.makeStream(of: Never.self)
        let (delay, close) = (AsyncStream.makeStream(of: Never.self), AsyncStream.makeStream(of: Never.self))
        let (reached, steps) = AsyncStream.makeStream(of: String.self)
        let waits = DrainWaits { _ in
            steps.yield("delay")
            for await _ in delay.stream {}
        } beforeClose: {
            steps.yield("close")
            for await _ in close.stream {}
        }
        try await withService(origin: origin, shutdown: stream, drainWaits: waits) {
            $0.server.drainDelay = .seconds(3_600)
        } _: { service in
            var reached = reached.makeAsyncIterator()
            let open = try await RawClient(port: service.port)
            let request = "GET /unsafe/30x20/127.0.0.1:\(origin.port)/a.png HTTP/1.1\r\nHost: a.example\r\n\r\n"

            shutdown.finish()
            #expect(await reached.next() == "delay")
            try await open.send(request)
            #expect(try await open.waitForResponse().hasPrefix("HTTP/1.1 200 "))

            delay.continuation.finish()
            #expect(await reached.next() == "close")
            try await open.send(request)
            #expect(try await open.waitForResponse().hasPrefix("HTTP/1.1 503 "))

            close.continuation.finish()
            try await open.waitForEnd()
        }
        await origin.stop()
    }

    @Test func serviceThatIsCancelledWhileItAcceptsConnectionsClosesThem() async throws {
        for _ in 0..<20 {
            let clients = try await withService { service in
                try await withThrowingTaskGroup(of: RawClient.self) { group in
                    for _ in 0..<32 { group.addTask { try await RawClient(port: service.port) } }
                    return try await group.reduce(into: [RawClient]()) { $0.append($1) }
                }
            }
            for client in clients { try await client.waitForEnd() }
        }
    }
}
