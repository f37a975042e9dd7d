import Testing
import PlatformImageTestSupport

@testable import PlatformImageService

/// Selection of the idle connection that the table closes at its limit; the tests use no sockets.
@Suite struct ConnectionTableTests {
    /// Connections by name, and the names of those that the table closed.
    private final class TableRecorder: Sendable {
        let table: ConnectionTable
        let closed = Locked<[String]>([])

        init(most: Int, perClient: Int? = nil, proxies: [String] = []) {
            table = ConnectionTable(
                maxConnections: most, maxConnectionsPerClient: perClient,
                proxies: proxies.compactMap { AddressRange($0) })
        }

        func connection(_ name: String, _ peer: String?) -> ConnectionTable.Connection {
            .init(peer: peer.flatMap { IPAddress($0) }) { [closed] in closed.update { $0.append(name) } }
        }

        @discardableResult
        func insert(_ name: String, from peer: String? = nil) -> ConnectionTable.Number? {
            table.insert(connection(name, peer))
        }
    }

    @Test(.requirement("X10")) func newConnectionAtTheLimitClosesTheLongestIdleConnection() throws {
        let board = TableRecorder(most: 3)
        let first = try #require(board.insert("a"))
        board.insert("b")
        #expect(board.closed.value.isEmpty)

        // After a request on the first connection, the second connection has been idle for longer.
        board.table.beginRequest(first)
        board.table.endRequest(first)
        board.insert("c")
        board.insert("d")
        board.insert("e")

        #expect(board.closed.value == ["b", "a", "c"])
        #expect(board.table.count == 2)
    }

    @Test(.requirement("X10")) func connectionWithAnActiveRequestIsNotClosedAtTheLimit() throws {
        let board = TableRecorder(most: 3)
        let busy = try ["a", "b"].map { try #require(board.insert($0)) }
        for number in busy { board.table.beginRequest(number) }
        let last = try #require(board.insert("c"))
        board.table.beginRequest(last)
        #expect(board.closed.value.isEmpty)
        #expect(board.table.count == 3)

        board.table.endRequest(busy[1])

        // The table closes the connection that became idle, so that it has room for the next connection.
        #expect(board.closed.value == ["b"])
        #expect(board.table.count == 2)
    }

    @Test(.requirement("X10")) func connectionSelectedForClosingThatReceivesARequestStaysAndAnIdleOneIsClosed() throws {
        let board = TableRecorder(most: 2)
        let first = try #require(board.insert("a"))
        let second = try #require(board.insert("b"))
        #expect(board.closed.value == ["a"])

        board.table.beginRequest(first)
        board.table.restore(first, board.connection("a", nil))

        #expect(board.closed.value == ["a", "b"])
        #expect(board.table.count == 1)
        board.table.remove(second)
        board.table.remove(first)
        #expect(board.table.count == 0)
    }

    @Test(.requirement("X10")) func connectionOverTheClientLimitClosesAnIdleConnectionOfThatClient() throws {
        let board = TableRecorder(most: 100, perClient: 2, proxies: ["127.0.0.0/8", "10.0.0.0/8"])
        for name in ["a", "b", "c"] { board.insert(name, from: "192.0.2.1") }
        #expect(board.closed.value == ["a"])
        for name in ["d", "e"] { board.insert(name, from: "192.0.2.2") }
        #expect(board.closed.value == ["a"])
        let network = try ["2001:db8::1", "2001:db8::2"].map { try #require(board.insert($0, from: $0)) }
        for number in network { board.table.beginRequest(number) }

        #expect(board.insert("f", from: "2001:db8::3") == nil)
        #expect(board.insert("g", from: "2001:db8:0:1::3") != nil)
        #expect(board.closed.value == ["a"])

        board.table.remove(network[0])
        #expect(board.insert("h", from: "2001:db8::3") != nil)
    }

    @Test(.requirement("X10")) func proxyOrLoopbackOrUnknownPeerHasNoClientConnectionLimit() throws {
        var server = ServiceConfiguration.Server()
        server.maxConnectionsPerClient = 1
        let table = try ConnectionTable(server)
        for peer in ["127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "fd00::1", nil] {
            for _ in 0..<3 {
                let connection = ConnectionTable.Connection(peer: peer.flatMap { IPAddress($0) }) {
                    Issue.record("\(peer ?? "no address") was closed")
                }
                #expect(table.insert(connection) != nil)
            }
        }
        server.trustsForwardedFor = true
        let behindProxy = try ConnectionTable(server)
        for _ in 0..<3 {
            let connection = ConnectionTable.Connection(peer: IPAddress("192.0.2.1")) { Issue.record("closed") }
            #expect(behindProxy.insert(connection) != nil)
        }
        server.proxies = ["a.example"]
        #expect(throws: ServiceError.self) { try ConnectionTable(server) }
    }

    /// Compares the closed connections with a model: a list that is searched linearly.
    @Test(.requirement("X10")) func connectionEvictionOrderMatchesALinearListModel() throws {
        let board = TableRecorder(most: 50)
        var random = SplitMix(seed: 10)
        var (idle, busy): ([ConnectionTable.Number], [ConnectionTable.Number]) = ([], [])
        var names: [String: ConnectionTable.Number] = [:]
        for step in 0..<20_000 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                // At the limit, the table closes the longest idle connection. If none is idle, this step is skipped.
                if idle.count + busy.count + 1 >= 50, idle.isEmpty { continue }
                if idle.count + busy.count + 1 >= 50 { idle.removeFirst() }
                let number = try #require(board.insert("\(step)"))
                names["\(step)"] = number
                idle.append(number)
            case 1 where !idle.isEmpty:
                let number = idle.remove(at: Int.random(in: 0..<idle.count, using: &random))
                board.table.beginRequest(number)
                busy.append(number)
            case 2 where !busy.isEmpty:
                let number = busy.remove(at: Int.random(in: 0..<busy.count, using: &random))
                board.table.endRequest(number)
                idle.append(number)
            default: continue
            }
            #expect(board.table.count == idle.count + busy.count)
            #expect(board.table.idleCount == idle.count)
        }
        let closed = Set(board.closed.value.compactMap { names[$0] })
        #expect(closed.isDisjoint(with: idle + busy))
        #expect(closed.count == names.count - idle.count - busy.count)
    }
}
