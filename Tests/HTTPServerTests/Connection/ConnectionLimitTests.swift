import CPlatformImageUV
import PlatformImageTestSupport
import Synchronization
import Testing

@testable import PlatformImageHTTPServer

/// Selection of the idle connections that are closed at the limits.
@Suite(.timeLimit(.minutes(30))) struct ConnectionLimitTests {
    private static func limits(_ most: Int, perClient: Int? = nil, exempt: [UInt8]? = nil) -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.maxConnections = most
        limits.maxPerClient = perClient
        limits.isExempt = { $0.bytes == exempt }
        return limits
    }

    /// The text form of an IPv4 address, or eight bytes of an IPv6 network with zeros after them.
    private static func peer(_ bytes: [UInt8]) -> PeerAddress {
        var address = piuv_address()
        address.family = bytes.count == 4 ? 4 : 6
        withUnsafeMutableBytes(of: &address.bytes) { $0.copyBytes(from: bytes) }
        return PeerAddress(address)
    }

    @Test(.requirement("HS34")) func newConnectionAtTheLimitClosesTheLongestIdleConnection() throws {
        let loop = try TestLoop(TestHandler.fixed(), limits: Self.limits(4))
        let clients = try (0..<3).map { _ in try loop.connect() }
        for client in clients { loop.settle(client) }
        #expect(loop.census.count == 3)
        // After a request, the first connection is the one that became idle last.
        clients[0].send(get)
        loop.settle(clients[0])

        let fourth = try loop.connect()
        loop.settle(clients[0], clients[1], clients[2], fourth)

        #expect(clients.map(\.hasEnded) == [false, true, false])
        #expect(!fourth.hasEnded)
        #expect(loop.census.count == 3)
    }

    @Test(.requirement("HS34")) func connectionWithARequestIsNotClosedAtTheLimit() throws {
        let gate = TestGate()
        let loop = try TestLoop(
            TestHandler { _ in
                .task { _ in
                    await gate.wait()
                    return Response(status: 200, text: "ok")
                }
            }, limits: Self.limits(3))
        let busy = try (0..<2).map { _ in try loop.connect() }
        for client in busy {
            client.send(get)
            loop.settle(client)
        }
        let last = try loop.connect()
        last.send(get)
        loop.settle(last, busy[0], busy[1])
        #expect(loop.census.count == 3)
        #expect(!loop.census.reserve())

        gate.open()
        loop.settle(last, busy[0], busy[1])

        // Connections that become idle make room for the next one.
        #expect([busy[0], busy[1], last].allSatisfy { $0.statuses == [200] })
        #expect([busy[0], busy[1], last].map(\.hasEnded).count { $0 } == 1)
        #expect(loop.census.count == 2)
        #expect(loop.census.reserve())
    }

    /// The loop selects the connection before it has read the request that has arrived.
    @Test(.requirement("HS34")) func connectionSelectedForClosingWhoseRequestHasArrivedStaysAndAnIdleOneIsClosed()
        throws
    {
        let loop = try TestLoop(TestHandler.fixed(), limits: Self.limits(3))
        let clients = try (0..<2).map { _ in try loop.connect() }
        for client in clients { loop.settle(client) }
        clients[0].send(get)

        let third = try loop.connect()
        loop.settle(clients[0], clients[1], third)

        #expect(clients[0].statuses == [200])
        #expect(clients.map(\.hasEnded) == [false, true])
        #expect(!third.hasEnded)
        #expect(loop.census.count == 2)
    }

    @Test(.requirement("HS35")) func clientAtItsLimitLosesItsLongestIdleConnectionOrIsRefused() throws {
        let gate = TestGate()
        let loop = try TestLoop(
            TestHandler { _ in
                .task { _ in
                    await gate.wait()
                    return Response(status: 200, text: "ok")
                }
            }, limits: Self.limits(100, perClient: 2, exempt: [10, 0, 0, 1]))
        func connect(_ address: [UInt8]) throws -> TestClient? {
            var pair: [Int32] = [-1, -1]
            try #require(piuv_socket_pair(&pair) == 0)
            let (server, client) = (Socket(pair[0]), TestClient(Socket(pair[1])))
            let peer = Self.peer(address)
            #expect(loop.census.reserve())
            loop.census.loads[0].connections.add(1, ordering: .relaxed)
            switch loop.census.admit(peer) {
            case .unlimited: loop.worker.adopt(server, peer, nil)
            case .limited(let entry): loop.worker.adopt(server, peer, entry)
            case .refused:
                loop.census.release()
                return nil
            }
            loop.settle(client)
            return client
        }
        let first = try #require(try connect([192, 0, 2, 1]))
        let second = try #require(try connect([192, 0, 2, 1]))
        let other = try #require(try connect([192, 0, 2, 2]))
        for _ in 0..<5 { #expect(try connect([10, 0, 0, 1]) != nil) }
        first.send(get)
        loop.settle(first)

        let third = try #require(try connect([192, 0, 2, 1]))
        loop.settle(first, second, other)
        #expect([first, second, other, third].map(\.hasEnded) == [false, true, false, false])

        third.send(get)
        loop.settle(third)
        #expect(try connect([192, 0, 2, 1]) == nil)
        gate.open()
        loop.settle(first, third)
        #expect(try connect([192, 0, 2, 1]) != nil)
        // All addresses of an IPv6 network of 64 bits are one client.
        let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1]
        let six = try (0..<3).map { try #require(try connect(network + [0, 0, 0, 0, 0, 0, 0, UInt8($0)])) }
        loop.settle(six[0], six[1], six[2])
        #expect(six.map(\.hasEnded) == [true, false, false])
    }

    @Test(.requirement("HS35")) func ipv4AddressInsideIPv6IsThatOfIPv4() {
        let mapped = Self.peer([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1])

        #expect(mapped.bytes == [192, 0, 2, 1])
        #expect(mapped.network == [192, 0, 2, 1])
        #expect(PeerAddress(piuv_address()).isLocal)
    }

    /// Compares the closed connections with a model: a list that is searched linearly.
    @Test(.requirement("HS34")) func evictionOrderMatchesALinearListModel() throws {
        let gate = Locked<[String: CheckedContinuation<Void, Never>]>([:])
        let loop = try TestLoop(
            TestHandler { request in
                let target = request.head.target
                return .task { _ in
                    await withCheckedContinuation { continuation in gate.update { $0[target] = continuation } }
                    return Response(status: 200, text: "ok")
                }
            }, limits: Self.limits(20))
        var random = SplitMix(seed: 10)
        var clients: [Int: TestClient] = [:]
        var (idle, busy): ([Int], [Int]) = ([], [])
        for step in 0..<3_000 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                if idle.isEmpty, busy.count + 1 >= 20 { continue }
                let client = try loop.connect()
                clients[step] = client
                if idle.count + busy.count + 1 >= 20 { idle.removeFirst() }
                idle.append(step)
                loop.settle(client)
            case 1 where !idle.isEmpty:
                let number = idle.remove(at: Int.random(in: 0..<idle.count, using: &random))
                clients[number]?.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                busy.append(number)
                loop.settle()
            case 2 where !busy.isEmpty:
                let number = busy.remove(at: Int.random(in: 0..<busy.count, using: &random))
                gate.value["/\(number)"]?.resume()
                idle.append(number)
                loop.settle()
            default: continue
            }
            #expect(loop.census.count == idle.count + busy.count)
        }
        for client in clients.values { client.receive() }
        let open = clients.filter { !$0.value.hasEnded }.map(\.key)
        #expect(Set(open) == Set(idle + busy))
        for number in busy { gate.value["/\(number)"]?.resume() }
        loop.settle()
    }
}
