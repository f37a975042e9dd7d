#if Service
import HTTPTypes
import NIOCore
import NIOPosix
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// X10 over real sockets: connections that are kept alive and ask nothing do not lock others out.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LongestIdleTests {
    @Test("X10 a service full of idle keep-alive connections takes a new one and closes the longest idle one")
    func idleConnectionsDoNotLockOut() async throws {
        try await withService {
            $0.server.maxConnections = 8
            $0.server.idleTimeout = .seconds(3_600)
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<8 {
                let client = try await RawClient(port: service.port)
                try await client.send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
                try await client.waitForAnswer()
                held.append(client)
            }

            #expect(try await service.send("/health/live").status == 200)

            try await held[0].waitForEnd()
            let isLastOpen = held[7].isOpen
            #expect(isLastOpen)
            for client in held { client.close() }
        }
    }

    @Test("X10 a service full of connections that never ask takes a new one")
    func silentConnectionsDoNotLockOut() async throws {
        try await withService {
            $0.server.maxConnections = 8
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<20 { held.append(try await RawClient(port: service.port)) }

            #expect(try await service.send("/health/live").status == 200)

            for client in held { client.close() }
        }
    }

    @Test("X10 one client may have only so many connections, unless it is a proxy")
    func aClientHasSoManyConnections() async throws {
        try await withService {
            $0.server.maxConnectionsPerClient = 3
            $0.server.proxies = []
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<3 { held.append(try await RawClient(port: service.port)) }
            try await held[2].send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
            try await held[2].waitForAnswer()

            let next = try await RawClient(port: service.port)
            try await next.send("GET /health/live HTTP/1.1\r\nHost: a.example\r\n\r\n")
            try await next.waitForAnswer()

            try await held[0].waitForEnd()
            for client in held + [next] { client.close() }
        }
    }
}
#endif
