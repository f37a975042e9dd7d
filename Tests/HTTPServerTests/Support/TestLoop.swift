import CPlatformImageUV
import PlatformImageTestSupport
import Synchronization
import Testing

@testable import PlatformImageHTTPServer

/// A loop without a thread, whose connections are socket pairs. Everything happens inside ``settle()``, so tests are
/// deterministic and need no clock.
final class TestLoop {
    let worker: Worker
    let census: ConnectionCensus

    init(
        _ handler: any RequestHandler, limits: ConnectionLimits = ConnectionLimits(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration(listeners: [])
        // Limits that a slow machine does not reach.
        configuration.time.head = .seconds(3_600)
        configuration.time.request = .seconds(3_600)
        configuration.time.linger = .seconds(3_600)
        change(&configuration)
        census = ConnectionCensus(limits, [LoopLoad(Mailbox(LoopWaker()))])
        let settings = ConnectionSettings(
            message: configuration.message, time: configuration.time, serverName: configuration.serverName)
        worker = try Worker(index: 0, census: census, listeners: [], handler: handler, settings: settings)
    }

    deinit { worker.end() }

    /// A new connection, and its client.
    func connect() throws -> TestClient {
        var pair: [Int32] = [-1, -1]
        try #require(piuv_socket_pair(&pair) == 0)
        census.loads[0].connections.add(1, ordering: .relaxed)
        #expect(census.reserve())
        census.makeRoom()
        worker.adopt(Socket(pair[0]), PeerAddress(piuv_address()), nil)
        return TestClient(Socket(pair[1]))
    }

    /// Runs the loop until nothing happens any more.
    func settle(_ clients: TestClient...) {
        var quietTurns = 0
        while quietTurns < 3 {
            worker.loop.turn()
            let hasInput = clients.map { $0.receive() }.contains(true)
            quietTurns = hasInput || worker.hasMessages || !worker.loop.executor.isEmpty ? 0 : quietTurns + 1
        }
    }
}
