import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Clients that leave in every state of a connection, and order of responses.
@Suite(.timeLimit(.minutes(30))) struct DisconnectTests {
    /// Requests of tasks that wait until they are cancelled, and their number.
    private static func waiting(_ cancelled: Locked<Int>, _ started: Locked<Int>) -> TestHandler {
        TestHandler { request in
            if request.head.target == "/at-once" { return .response(Response(status: 200, text: "ok")) }
            return .task { exchange in
                started.update { $0 += 1 }
                let (stream, _) = AsyncStream.makeStream(of: Never.self)
                for await _ in stream {}
                cancelled.update { $0 += 1 }
                return Response(status: 200, text: exchange.isClientConnected ? "connected" : "disconnected")
            }
        }
    }

    @Test(.requirement("HS32"), arguments: ["closes", "resets", "closes its sending side"], [0, 10_000_000])
    func taskIsCancelledWhenItsClientLeaves(_ kind: String, _ pipelinedBytes: Int) throws {
        let (cancelled, started) = (Locked(0), Locked(0))
        let loop = try TestLoop(Self.waiting(cancelled, started))
        let client = try loop.connect()
        client.send(get)
        // Further requests fill the buffers, so that the server does not read when the client leaves.
        var sent = 0
        while sent < pipelinedBytes {
            loop.settle(client)
            let count = client.send(String(repeating: get, count: 1_000))
            if count == 0 { break }
            sent += count
        }
        loop.settle(client)
        #expect(started.value == 1)
        #expect(cancelled.value == 0)

        switch kind {
        case "closes": client.close()
        case "resets": client.reset()
        default: client.closeHalf()
        }
        loop.settle(client)

        #expect(cancelled.value >= 1)
        if kind == "closes its sending side" {
            #expect(client.replies.first?.text == "disconnected\n")
        } else {
            #expect(loop.census.count == 0)
        }
    }

    @Test(.requirement("HS33")) func clientThatClosesItsSendingSideGetsTheResponsesToItsRequests() throws {
        let loop = try TestLoop(TestHandler.fixed())
        let client = try loop.connect()
        client.send(String(repeating: get, count: 100))
        client.closeHalf()
        loop.settle(client)

        #expect(client.statuses == [Int](repeating: 200, count: 100))
        #expect(client.hasEnded)
        #expect(loop.census.count == 0)
    }

    @Test(.requirement("HS28")) func pipelinedRequestsAreAnsweredInOrderOneAtATime() throws {
        let (running, most) = (Locked(0), Locked(0))
        let loop = try TestLoop(
            TestHandler { request in
                let target = request.head.target
                guard target.hasSuffix("t") else { return .response(Response(status: 200, text: target)) }
                return .task { _ in
                    running.update { $0 += 1 }
                    most.update { $0 = max($0, running.value) }
                    await Task.yield()
                    running.update { $0 -= 1 }
                    return Response(status: 200, text: target)
                }
            })
        let client = try loop.connect()
        var random = SplitMix(seed: 3)
        let targets = (0..<2_000).map { "/\($0)" + (Bool.random(using: &random) ? "t" : "") }
        var rest = Array(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined().utf8)[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(client.send(rest))
            loop.settle(client)
        }
        loop.settle(client)

        #expect(client.replies.map(\.text) == targets.map { $0 + "\n" })
        #expect(most.value == 1)
    }

    /// States of a connection, each reached by a function.
    private static let states: [(name: String, reach: @Sendable (TestClient) -> Void)] = [
        ("no bytes", { _ in }),
        ("an empty line", { $0.send("\r\n") }),
        ("a partial head", { $0.send("GET / HT") }),
        ("a partial body", { $0.send(post("Content-Length: 10", "abc")) }),
        ("a partial chunk", { $0.send(post("Transfer-Encoding: chunked", "5\r\nab")) }),
        ("a running task", { $0.send(get) }),
        ("a running task with pipelined requests", { $0.send(get + get + get) }),
        ("an expectation", { $0.send(post("Content-Length: 10\r\nExpect: 100-continue")) }),
        ("after a response", { $0.send("GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n") }),
        ("after an error", { $0.send("X\r\n") }),
    ]

    @Test(.requirement("HS32", "HS29"), arguments: states.indices, [false, true])
    func clientThatLeavesInAnyStateReleasesItsConnection(_ state: Int, resets: Bool) throws {
        let (cancelled, started) = (Locked(0), Locked(0))
        let loop = try TestLoop(Self.waiting(cancelled, started))
        for _ in 0..<3 {
            let client = try loop.connect()
            Self.states[state].reach(client)
            loop.settle(client)
            if resets { client.reset() } else { client.close() }
        }
        loop.settle()

        #expect(loop.census.count == 0, "\(Self.states[state].name)")
        #expect(cancelled.value == started.value)
    }

    @Test(.requirement("HS29")) func inputAfterAnErrorIsDiscardedUntilTheClientCloses() throws {
        let loop = try TestLoop(TestHandler.fixed())
        let client = try loop.connect()
        client.send("X\r\n")
        loop.settle(client)
        #expect(client.statuses == [400])
        #expect(client.hasEnded)
        for _ in 0..<50 {
            client.send(String(repeating: get, count: 1_000))
            loop.settle(client)
        }
        #expect(loop.census.count == 1)

        client.close()
        loop.settle()

        #expect(loop.census.count == 0)
    }

    @Test(.requirement("HS31"), arguments: TimeLimitKind.allCases)
    func connectionIsClosedAtEachTimeLimit(_ kind: TimeLimitKind) throws {
        let limit = Duration.milliseconds(60)
        let body = [UInt8](repeating: 1, count: 20_000_000)
        let loop = try TestLoop(TestHandler { _ in .response(Response(status: 200, body: .bytes(body))) }) {
            $0.time.idle = .seconds(3_600)
            switch kind {
            case .head: $0.time.head = limit
            case .request: $0.time.request = limit
            case .idle: $0.time.idle = limit
            case .linger: $0.time.linger = limit
            case .stalledResponse: $0.time.stalledResponse = limit
            }
        }
        let start = ContinuousClock.now
        let client = try loop.connect()
        switch kind {
        case .head: client.send("GET /")
        case .request: client.send(post("Content-Length: 10", "abc"))
        case .idle:
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            loop.settle(client)
        case .linger:
            client.send("X\r\n")
            loop.settle(client)
        case .stalledResponse: client.send(get)
        }
        while loop.census.count > 0 { loop.worker.loop.turn() }
        let elapsed = ContinuousClock.now - start

        #expect(elapsed >= .milliseconds(50))
        client.receive(upTo: 1)
        if kind != .stalledResponse { #expect(client.hasEnded) }
    }
}
