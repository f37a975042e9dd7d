import Foundation
import PlatformImageLoopbackOrigin
import Testing

/// The connections and the lifetime of an origin.
@Suite(.timeLimit(.minutes(5))) struct OriginConnectionTests {
    private static let request = "GET / HTTP/1.1\r\n\r\n"
    private static let answer = "HTTP/1.1 200 Status\r\nContent-Length: 1\r\n\r\na"

    private static func answer(_ client: OriginClient) -> String {
        client.send(request)
        return client.text(answer.utf8.count)
    }

    @Test func hundredsOfConnectionsAreServedAndClosedByTheirClients() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([0x61]) }

        let answers = try await OriginClient.connect(to: origin.port) { _ in
            let clients = (0..<300).compactMap { _ in OriginClient(origin.port) }
            return (0..<2).flatMap { _ in clients.map(Self.answer) }
        }

        #expect(answers == Array(repeating: Self.answer, count: 600))
        await origin.waitForClosedConnections(301)
        #expect(origin.connectionCount == 301)
        #expect(origin.requests.count == 600)
    }

    @Test func unreadBodyDelaysNoOtherConnection() async throws {
        let size = 32 << 20
        let origin = try await LoopbackOrigin { request in
            request.target == "/large" ? .ok([UInt8](repeating: 7, count: size)) : .ok([0x61])
        }

        let (answer, written, rest) = try await OriginClient.connect(to: origin.port) { client in
            client.send("GET /large HTTP/1.1\r\n\r\n")
            let head = client.receive(1).count
            let answer = OriginClient(origin.port).map(Self.answer)
            let written = origin.bodyBytesWritten
            let header = "HTTP/1.1 200 Status\r\nContent-Length: \(size)\r\n\r\n".utf8.count
            return (answer, written, client.receive(header + size - head).count - header + head)
        }

        #expect(answer == Self.answer)
        #expect(written < size / 2)
        #expect(rest == size)
    }

    @Test func disconnectingWithinABodyEndsOnlyThatConnection() async throws {
        let origin = try await LoopbackOrigin { request in
            request.number % 2 == 0 ? .ok([UInt8](repeating: 7, count: 32 << 20)) : .ok([0x61])
        }

        for round in 0..<10 {
            // The origin sends to a connection that is closed; SIGPIPE would end the process.
            try await OriginClient.connect(to: origin.port) { client in
                client.send(Self.request)
                _ = client.receive(1)
            }
            await origin.waitForClosedConnections(2 * round + 1)
            let answer = try await OriginClient.connect(to: origin.port, Self.answer)
            #expect(answer == Self.answer)
            await origin.waitForClosedConnections(2 * round + 2)
        }
    }

    @Test(arguments: [OriginAction.silence, .response(gated)])
    func disconnectingBeforeTheResponseClosesTheConnection(_ action: OriginAction) async throws {
        let origin = try await LoopbackOrigin { _ in action }

        try await OriginClient.connect(to: origin.port) { client in client.send(Self.request) }

        await origin.waitForRequests(1)
        await origin.waitForClosedConnections(1)
    }

    /// A response behind a gate that never opens.
    private static var gated: OriginResponse {
        var response = OriginResponse()
        response.gate = OriginGate()
        return response
    }

    @Test func closedConnectionsEndAtTheClientAndNewOnesAreAccepted() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([0x61]) }
        let isAnswered = OriginGate()

        async let isAtEnd = OriginClient.connect(to: origin.port) { client in
            _ = Self.answer(client)
            isAnswered.open()
            return client.isAtEnd
        }
        await isAnswered.waitUntilOpen()
        await origin.closeConnections()

        #expect(try await isAtEnd)
        #expect(origin.closedConnectionCount == 1)
        #expect(try await OriginClient.connect(to: origin.port, Self.answer) == Self.answer)
    }

    @Test(arguments: [false, true])
    func stoppingOrReleasingAnOriginClosesItsConnectionsAndItsPort(_ isReleased: Bool) async throws {
        var origin: LoopbackOrigin? = try await LoopbackOrigin { _ in .silence }
        let port = try #require(origin?.port)
        async let isAtEnd = OriginClient.connect(to: port) { client in
            client.send(Self.request)
            return client.isAtEnd
        }
        await origin?.waitForRequests(1)

        if !isReleased {
            await origin?.stop()
            await origin?.stop()
            await origin?.closeConnections()
            #expect(origin?.closedConnectionCount == 1)
        }
        origin = nil

        #expect(try await isAtEnd)
        if !isReleased {
            await #expect(throws: OriginClient.CannotConnect.self) { try await OriginClient.connect(to: port) { _ in } }
        }
    }

    @Test func addressThatCannotBeUsedThrows() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        for (host, port) in [("127.0.0.1", origin.port), ("localhost.", 0), ("127.0.0.1", 65_536)] {
            await #expect(throws: (any Error).self, "\(host):\(port)") {
                _ = try await LoopbackOrigin(host: host, port: port) { _ in .ok([]) }
            }
        }
        #expect(origin.url("/a", host: "a.test") == "http://a.test:\(origin.port)/a")
    }

    #if os(Linux)
    @Test func stoppedOriginsLeaveNoDescriptorOpen() async throws {
        // In a separate process, where no other test opens files.
        await #expect(processExitsWith: .success) {
            func openFiles() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            func serve() async throws {
                let origin = try await LoopbackOrigin { _ in .ok([0x61]) }
                let secure = try await LoopbackOrigin(certificate: OriginCertificate(), speaksHTTP2: true) { _ in
                    .silence
                }
                _ = try await OriginClient.connect(to: origin.port) { client in
                    (Self.answer(client), (0..<10).map { _ in OriginClient(secure.port) }.count)
                }
                await origin.stop()
                await secure.stop()
            }
            try await serve()
            let before = try openFiles()
            for _ in 0..<20 { try await serve() }
            // Threads release their last descriptors shortly after they have resumed the task.
            while try openFiles() > before { await Task.yield() }
        }
    }
    #endif
}
