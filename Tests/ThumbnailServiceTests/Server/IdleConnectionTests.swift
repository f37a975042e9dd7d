import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Connections without a complete request header, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(30))) struct IdleConnectionTests {
    @Test(.requirement("SV20")) func thousandIncompleteRequestsDoNotBlockTheService() async throws {
        try Self.allowDescriptors(2_600)
        let origin = try await LoopbackOrigin { _ in .ok((try? Bitmap.landscape(40, 30).png()) ?? []) }
        try await withService(origin: origin) {
            $0.server.idleTimeout = .seconds(3_600)
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<1_000 { held.append(try await Self.halfOpen(service.port)) }

            #expect(try await service.send("/health/ready").status == 200)
            #expect(try await service.send("/unsafe/20x10/127.0.0.1:\(origin.port)/a.png").status == 200)

            let areOpen = held.allSatisfy(\.isOpen)
            #expect(areOpen)
            for client in held { client.close() }
        }
        await origin.stop()
    }

    @Test(.requirement("SV20"))
    func headerTimeoutClosesConnectionsWithIncompleteHeadersAtTheConnectionLimit() async throws {
        try await withService {
            $0.server.maxConnections = 4
            $0.server.headerTimeout = .milliseconds(100)
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<4 { held.append(try await Self.halfOpen(service.port)) }

            #expect(try await service.send("/health/ready").status == 200)

            for client in held { try await client.waitForEnd() }
        }
    }

    @Test(.requirement("SV20")) func requestHeaderOver16KBIsRejectedWith431() async throws {
        try await withService { service in
            for (count, status) in [(12_000, 200), (17_000, 431)] {
                let reply = try await service.send(
                    "/health/live", fields: [("X-Long", String(repeating: "a", count: count))])
                #expect(reply.status == status)
            }
        }
    }

    /// A connection with an incomplete request header.
    private static func halfOpen(_ port: Int) async throws -> RawClient {
        let client = try await RawClient(port: port)
        // On a busy machine the service may have closed the connection already.
        try? await client.send("GET /health/ready HTTP/1.1\r\nHost:")
        return client
    }

    private static func allowDescriptors(_ count: rlim_t) throws {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        guard limit.rlim_cur < count else { return }
        limit.rlim_cur = min(count, limit.rlim_max)
        try #require(setrlimit(resource, &limit) == 0)
        try #require(limit.rlim_cur >= count, "the hard limit of file descriptors is too low")
    }
}
