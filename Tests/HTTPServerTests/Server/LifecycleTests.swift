import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Threads, drain and end of a server, over TCP.
@Suite(.timeLimit(.minutes(30))) struct LifecycleTests {
    @Test(.requirement("HS39")) func taskOfARequestRunsOnTheThreadOfItsLoop() async throws {
        let threads = Locked<Set<ThreadIdentity>>([])
        try await withServer(
            TestHandler { _ in
                threads.update { _ = $0.insert(ThreadIdentity.current) }
                return .task { _ in
                    threads.update { _ = $0.insert(ThreadIdentity.current) }
                    await Task.yield()
                    threads.update { _ = $0.insert(ThreadIdentity.current) }
                    // Work on another thread, and back.
                    _ = await Task.detached { 1 }.value
                    threads.update { _ = $0.insert(ThreadIdentity.current) }
                    return Response(status: 200, text: "ok")
                }
            }
        ) { server in
            let client = try TestClient(port: server.ports[0])
            for _ in 0..<100 { #expect(await client.exchange(get)?.status == 200) }
        }
        #expect(threads.value.count == 1)
    }

    @Test(.requirement("HS37"), arguments: [1, 2])
    func runningRequestsGetTheirAnswersDuringADrain(_ loops: Int) async throws {
        let gate = TestGate()
        try await withServer(
            TestHandler { request in
                if request.head.target == "/at-once" { return .response(Response(status: 200, text: "at once")) }
                return .task { _ in
                    await gate.wait()
                    return Response(status: 200, text: "late")
                }
            }, loops: loops
        ) { server in
            let busy = try (0..<200).map { _ in try TestClient(port: server.ports[0]) }
            for client in busy { client.send(get) }
            let idle = try TestClient(port: server.ports[0])
            #expect(await idle.exchange("GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
            await yieldUntil { gate.arrivals == 200 }

            async let end: Void = server.drain()
            await idle.wait { $0.hasEnded }
            #expect(idle.statuses == [200])
            // The other loop may begin its drain later.
            await yieldUntil { !TestClient.canConnect(port: server.ports[0]) }
            gate.open()
            for client in busy {
                await client.wait { $0.hasEnded }
                #expect(client.statuses == [200])
                #expect(client.replies.first?["Connection"] == "close")
                client.close()
            }

            await end
            #expect(server.connectionCount == 0)
        }
    }

    /// The head of the response does not say that the connection ends, because it was sent before.
    @Test(.requirement("HS37"), arguments: [false, true])
    func connectionWhoseResponseIsBeingSentEndsAfterItDuringADrain(isFollowedByARequest: Bool) async throws {
        let body = [UInt8](repeating: 7, count: 8_000_000)
        try await withServer(TestHandler { _ in .response(Response(status: 200, body: .bytes(body))) }) {
            $0.time.idle = .seconds(3_600)
        } _: { server in
            let client = try TestClient(port: server.ports[0])
            client.send(get)
            await yieldUntil { server.queuedBytes > 0 }

            async let end: Void = server.drain()
            await yieldUntil { !TestClient.canConnect(port: server.ports[0]) }
            if isFollowedByARequest { client.send(get) }
            await client.wait { $0.hasEnded }
            #expect(
                client.replies.map(\.body.count) == [Int](repeating: 8_000_000, count: isFollowedByARequest ? 2 : 1))
            #expect(client.replies.map { $0["Connection"] } == (isFollowedByARequest ? [nil, "close"] : [nil]))
            client.close()
            await end
        }
    }

    /// Requests that have arrived before the drain, on connections that the server has not read or not accepted.
    @Test(.requirement("HS37")) func requestThatArrivedBeforeADrainIsAnswered() async throws {
        for _ in 0..<50 {
            try await withServer(TestHandler.fixed(), loops: 2) { server in
                let clients = try (0..<4).map { _ in try TestClient(port: server.ports[0]) }
                #expect(await clients[0].exchange(get)?.status == 200)
                #expect(await clients[1].exchange(get)?.status == 200)
                for client in clients { client.send(get) }

                async let end: Void = server.drain()
                for (index, client) in clients.enumerated() {
                    await client.wait { $0.hasEnded }
                    #expect(client.statuses == [Int](repeating: 200, count: index < 2 ? 2 : 1))
                    client.close()
                }
                await end
            }
        }
    }

    @Test(.requirement("HS37")) func stopClosesAllConnectionsAndCancelsTheirTasks() async throws {
        let (started, cancelled) = (Locked(0), Locked(0))
        let clients = try await withServer(
            TestHandler { _ in
                .task { _ in
                    started.update { $0 += 1 }
                    let (stream, _) = AsyncStream.makeStream(of: Never.self)
                    for await _ in stream {}
                    cancelled.update { $0 += 1 }
                    return Response(status: 200, text: "late")
                }
            }, loops: 2
        ) { server in
            let clients = try (0..<20).map { _ in try TestClient(port: server.ports[0]) }
            for client in clients { client.send(get) }
            await yieldUntil { started.value == 20 }
            return clients
        }
        for client in clients {
            await client.wait { $0.hasEnded }
            #expect(client.statuses == [])
        }
        // The tasks end on other threads when their loops have ended.
        await yieldUntil { cancelled.value == 20 }
    }

    @Test(.requirement("HS34")) func connectionAtTheMaximumIsAcceptedWhenIdleOnesAreClosed() async throws {
        try await withServer(TestHandler.fixed(), loops: 2) {
            $0.connections.maxConnections = 8
        } _: { server in
            var held: [TestClient] = []
            for _ in 0..<40 {
                let client = try TestClient(port: server.ports[0])
                #expect(await client.exchange(get)?.status == 200)
                held.append(client)
            }
            await held[0].wait { $0.hasEnded }
            #expect(server.connectionCount <= 8)
            let silent = try (0..<40).map { _ in try TestClient(port: server.ports[0]) }
            let last = try TestClient(port: server.ports[0])
            #expect(await last.exchange(get)?.status == 200)
            _ = silent
        }
    }

    /// The server is a process of its own, with a limit of 40 descriptors.
    @Test(.requirement("HS36"), arguments: ["task", "wait"])
    func serverWithoutDescriptorsWaitsWithoutWorkAndServesAgain(_ mode: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let program = BuiltProgram.path(of: "PlatformImageHTTPServerProbe")
        process.arguments = ["-c", "ulimit -n 40; exec \"$0\" \(mode) 2", program]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let line = try #require(String(data: output.fileHandleForReading.availableData, encoding: .utf8))
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))

        let clients = try (0..<100).map { _ in
            let client = try TestClient(port: port)
            client.send(get)
            return client
        }
        if mode == "task" {
            // Connections whose requests were answered, and those whose requests have not arrived, are closed for
            // new ones.
            for client in clients { await client.wait { $0.statuses == [200] || $0.hasEnded } }
            #expect(clients.count { $0.statuses == [200] } >= 50)
        } else {
            // A loop that calls accept continuously has no period without CPU time.
            var ticks = Int.max
            while ticks > 1, !Task.isCancelled {
                let (start, before) = (ContinuousClock.now, Self.cpuTicks(process))
                await yieldUntil { ContinuousClock.now - start > .milliseconds(300) }
                ticks = Self.cpuTicks(process) - before
            }
            #expect(ticks <= 1)
            #expect(clients.allSatisfy { !$0.hasEnded && $0.received.isEmpty })
        }
        for client in clients { client.close() }
        let next = try TestClient(port: port)
        #expect(await next.exchange("GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
    }

    /// CPU time of a process in ticks of 10 ms; 0 without `/proc`.
    private static func cpuTicks(_ process: Process) -> Int {
        let path = "/proc/\(process.processIdentifier)/stat"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }
}
