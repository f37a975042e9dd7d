import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import PlatformImageService

@Suite(.timeLimit(.minutes(30))) struct HTTPConnectionsTests {
    private static func connections() -> HTTPConnections {
        HTTPConnections(HTTP1Channel { _, writer, _ in _ = writer })
    }

    /// Without `HTTPConnections` the process ends here.
    @Test func connectionThatIsReleasedBeforeItIsHandledIsClosed() async throws {
        let connections = Self.connections()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                connections.setup(channel: channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
        let port = try #require(listener.channel.localAddress?.port)

        try await listener.executeThenClose { accepted in
            var iterator = accepted.makeAsyncIterator()
            let client = try await RawClient(port: port)
            let isAccepted = try await iterator.next() != nil
            #expect(isAccepted)

            try await client.waitForEnd()
        }
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
