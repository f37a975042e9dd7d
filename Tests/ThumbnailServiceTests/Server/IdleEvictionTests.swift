import PlatformImage
import PlatformImageHTTPServer
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Over real sockets: idle keep-alive connections do not prevent new connections.
@Suite(.serialized, .timeLimit(.minutes(30))) struct IdleEvictionTests {
    @Test(.requirement("X10")) func newConnectionAtTheLimitClosesTheLongestIdleConnection() async throws {
        try await withService {
            $0.server.maxConnections = 8
            $0.server.idleTimeout = .seconds(3_600)
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<8 {
                let client = try await RawClient(port: service.port)
                try await client.send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
                try await client.waitForResponse()
                held.append(client)
            }

            #expect(try await service.send("/health/live").status == 200)

            try await held[0].waitForEnd()
            let isLastOpen = held[7].isOpen
            #expect(isLastOpen)
            for client in held { client.close() }
        }
    }

    @Test(.requirement("X10")) func newConnectionAtTheLimitIsAcceptedWhenNoOtherConnectionSentARequest() async throws {
        try await withService {
            $0.server.maxConnections = 8
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<20 { held.append(try await RawClient(port: service.port)) }

            #expect(try await service.send("/health/live").status == 200)

            for client in held { client.close() }
        }
    }

    @Test(.requirement("X10"))
    func connectionOverTheClientLimitClosesTheLongestIdleConnectionOfThatClient() async throws {
        try await withService {
            $0.server.maxConnectionsPerClient = 3
            $0.server.proxies = []
        } _: { service in
            var held: [RawClient] = []
            for count in 1...3 {
                held.append(try await RawClient(port: service.port))
                // Connections are ordered by time with a resolution of 1 ms, and each loop accepts its own.
                await yieldUntil { service.engine.server?.connectionCount == count }
                let accepted = ContinuousClock.now
                await yieldUntil { ContinuousClock.now - accepted > .milliseconds(20) }
            }
            try await held[2].send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
            try await held[2].waitForResponse()

            let next = try await RawClient(port: service.port)
            try await next.send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
            try await next.waitForResponse()

            try await held[0].waitForEnd()
            let isSecondOpen = held[1].isOpen
            #expect(isSecondOpen)
            for client in held + [next] { client.close() }
        }
    }
}
