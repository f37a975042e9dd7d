import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Listening sockets of a server.
@Suite(.timeLimit(.minutes(30))) struct ListenerTests {
    private static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "s-\(UInt64.random(in: 0...UInt64.max))")
            .path(percentEncoded: false)
    }

    private static func start(_ listeners: ServerConfiguration.Listener..., loops: Int = 1) async throws(ServerError)
        -> HTTPServer
    {
        var configuration = ServerConfiguration(listeners: listeners)
        configuration.loops = loops
        return try await HTTPServer.start(configuration, handler: TestHandler.fixed())
    }

    /// With SO_REUSEPORT alone, the second server would get a part of the connections.
    @Test(.requirement("HS38"), arguments: [(1, 1), (1, 2), (2, 1), (2, 2)])
    func secondServerOnAPortFailsToStart(_ first: Int, _ second: Int) async throws {
        let server = try await Self.start(.tcp(host: "127.0.0.1", port: 0), loops: first)
        let port = server.ports[0]

        let error = await #expect(throws: ServerError.self) {
            try await Self.start(.tcp(host: "127.0.0.1", port: port), loops: second)
        }

        #expect(error?.description == "cannot listen on 127.0.0.1:\(port): address already in use")
        await server.stop()
        let next = try await Self.start(.tcp(host: "127.0.0.1", port: port), loops: second)
        await next.stop()
    }

    @Test(arguments: ["nowhere.invalid", "127.0.0.1:80", "", "300.0.0.1"])
    func hostThatCannotBeResolvedFailsTheStart(_ host: String) async throws {
        if host.isEmpty { return }
        await #expect(throws: ServerError.self) { try await Self.start(.tcp(host: host, port: 0)) }
    }

    @Test(arguments: [-1, 65_536, Int.max, Int.min])
    func portOutsideOfItsRangeFailsTheStart(_ port: Int) async throws {
        await #expect(throws: ServerError.self) { try await Self.start(.tcp(host: "127.0.0.1", port: port)) }
    }

    @Test(.requirement("HS41")) func serverListensOnIPv4IPv6AndUnixSockets() async throws {
        let path = Self.temporaryPath()
        let server = try await Self.start(
            .tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0), .unix(path: path), loops: 2)
        #expect(server.ports[0] > 0 && server.ports[1] > 0 && server.ports[2] == 0)

        let clients = [
            try TestClient(port: server.ports[0]), try TestClient(path: path), try TestClient(port6: server.ports[1]),
        ]
        for client in clients { #expect(await client.exchange(get)?.status == 200) }

        await server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.requirement("HS41")) func socketFileWithoutAListenerIsReplacedAndOtherFilesAreNot() async throws {
        let path = Self.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try await Self.start(.unix(path: path))
        let inUse = await #expect(throws: ServerError.self) { try await Self.start(.unix(path: path)) }
        #expect(inUse?.description == "cannot listen on \(path): address already in use")
        // A hard link to the socket file survives the end of the server, as the file does when a process is killed.
        let stale = path + "-stale"
        try FileManager.default.linkItem(atPath: path, toPath: stale)
        await first.stop()

        let second = try await Self.start(.unix(path: stale))
        let client = try TestClient(path: stale)
        #expect(await client.exchange(get)?.status == 200)
        await second.stop()

        try Data("a file".utf8).write(to: URL(filePath: path))
        await #expect(throws: ServerError.self) { try await Self.start(.unix(path: path)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a file")
        let long = String(repeating: "a", count: 200)
        await #expect(throws: ServerError.self) { try await Self.start(.unix(path: "/tmp/" + long)) }
    }

    /// A rolling restart: the new process listens while the old one still serves requests.
    @Test(.requirement("HS41", "HS37")) func socketPathIsFreeForAnotherServerDuringADrain() async throws {
        let (path, gate) = (Self.temporaryPath(), TestGate())
        let old = try await HTTPServer.start(
            ServerConfiguration(listeners: [.unix(path: path)]),
            handler: TestHandler { _ in
                .task { _ in
                    await gate.wait()
                    return Response(status: 200, text: "old")
                }
            })
        let client = try TestClient(path: path)
        client.send(get)
        await yieldUntil { gate.arrivals == 1 }
        async let end: Void = old.drain()
        await yieldUntil { !FileManager.default.fileExists(atPath: path) }

        let new = try await Self.start(.unix(path: path))
        #expect(await (try TestClient(path: path)).exchange(get)?.text == "ok")
        gate.open()
        await client.wait { $0.hasEnded }
        #expect(client.replies.first?.text == "old\n")
        client.close()
        await end
        #expect(await (try TestClient(path: path)).exchange(get)?.text == "ok")
        await new.stop()
    }

    @Test(.requirement("HS42")) func fewLongConnectionsAreDistributedToAllLoops() async throws {
        let threads = Locked<Set<ThreadIdentity>>([])
        try await withServer(
            TestHandler { _ in
                threads.update { _ = $0.insert(ThreadIdentity.current) }
                return .response(Response(status: 200, text: "ok"))
            }, loops: 4
        ) { server in
            var clients: [TestClient] = []
            for _ in 0..<12 {
                let client = try TestClient(port: server.ports[0])
                #expect(await client.exchange(get)?.status == 200)
                clients.append(client)
            }
            for client in clients { #expect(await client.exchange(get)?.status == 200) }
            #expect(threads.value.count == 4)
            #expect(server.connectionCount == 12)
        }
    }
}
