import PlatformImageHTTPServer
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The limits that a configuration sets for the connections of the HTTP server (HS34 and HS35 in Docs/http-server.md).
@Suite struct ConnectionLimitTests {
    private static func peer(_ text: String) throws -> PeerAddress {
        switch try #require(IPAddress(text)) {
        case .v4(let bits): PeerAddress(bytes: (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) })
        case .v6(let bits): PeerAddress(bytes: (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) })
        }
    }

    @Test(.requirement("X10")) func proxiesAndLoopbackAndUnixSocketsHaveNoLimitPerClient() throws {
        var server = ServiceConfiguration.Server()
        server.maxConnectionsPerClient = 1
        let limits = try ConnectionLimits(server)

        #expect(limits.maxPerClient == 1)
        for text in ["127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "fd00::1"] {
            #expect(limits.isExempt(try Self.peer(text)), "\(text)")
        }
        for text in ["192.0.2.1", "2001:db8::1", "172.32.0.1", "fe00::1"] {
            #expect(!limits.isExempt(try Self.peer(text)), "\(text)")
        }
        #expect(PeerAddress(bytes: []).isLocal)
    }

    @Test(.requirement("X10")) func connectionsOfATrustedProxyHaveNoLimitPerClient() throws {
        var server = ServiceConfiguration.Server()
        server.trustsForwardedFor = true
        #expect(try ConnectionLimits(server).maxPerClient == nil)
        server.proxies = ["a.example"]
        #expect(throws: ServiceError.self) { try ConnectionLimits(server) }
    }
}
