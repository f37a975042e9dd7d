import Foundation
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// Concurrency, shutdown and crash safety of the `imagetool pipe` process.
@Suite(.timeLimit(.minutes(30))) struct PipeProcessTests {
    /// Serves different bitmaps as `/0`, `/1` and so on, fresh for one day.
    private func origin() async throws -> LoopbackOrigin {
        try await LoopbackOrigin { request in
            guard let number = Int(request.target.dropFirst()) else { return PipeOrigin.response(404) }
            return PipeOrigin.response(
                200, ["Content-Type": "image/bmp", "Cache-Control": "max-age=86400"], Self.bitmap(number))
        }
    }

    private static func bitmap(_ number: Int) -> [UInt8] {
        var bytes = smallBitmap
        bytes[54] = UInt8(truncatingIfNeeded: number)
        bytes[55] = UInt8(truncatingIfNeeded: number >> 8)
        return bytes
    }

    @Test func concurrentLoadsOfDifferentURLsAllComplete() async throws {
        let folder = try TemporaryFolder()
        let origin = try await origin()
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let ids = (0..<200).map { pipe.begin("load", "\"url\":\"\(origin.url("/\($0)"))\"") }
            for (number, id) in ids.enumerated() {
                let answer = try await pipe.response(to: id)
                #expect(answer.outcome == "200 network")
                #expect(answer.body == Self.bitmap(number))
            }
            #expect(origin.requests.count == 200)
            #expect(try await pipe.call("stats").entries == 200)
        }
        await origin.stop()
    }

    @Test(.requirement("O82")) func concurrentLoadsOfOneURLSendOneRequest() async throws {
        let folder = try TemporaryFolder()
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: Self.bitmap(1))
            response.gate = gate
            return .response(response)
        }
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let ids = (0..<200).map { _ in pipe.begin("load", "\"url\":\"\(origin.url("/1"))\"") }
            await origin.waitForRequests(1)
            // Lines are read in order: after this response all loads have begun.
            _ = try await pipe.call("stats")
            gate.open()
            for id in ids { #expect(try await pipe.response(to: id).body == Self.bitmap(1)) }
        }
        await origin.stop()
    }

    @Test func loadInProgressCompletesAfterEndOfInput() async throws {
        let folder = try TemporaryFolder()
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(fields: [OriginField("Cache-Control", "max-age=86400")], body: Self.bitmap(1))
            response.gate = gate
            return .response(response)
        }
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let id = pipe.begin("load", "\"url\":\"\(origin.url("/1"))\"")
            await origin.waitForRequests(1)
            pipe.closeInput()
            gate.open()
            #expect(try await pipe.response(to: id).outcome == "200 network")
        }
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let answer = try await pipe.load(origin.url("/1"), "\"policy\":\"cacheOnly\"")
            #expect(answer.outcome == "200 disk")
            #expect(answer.body == Self.bitmap(1))
        }
        await origin.stop()
    }

    @Test(arguments: [false, true])
    func hangingLoadIsCancelledAfterEndOfInputOrSIGTERM(_ isSignal: Bool) async throws {
        let folder = try TemporaryFolder()
        let origin = try await LoopbackOrigin { _ in .silence }
        // A short grace period, and enough time to write the responses.
        let arguments = ["--grace-milliseconds", "10", "--longest-end-milliseconds", "86400000"]
        try await PipeDriver.run(arguments) { pipe in
            _ = try await pipe.open(folder.path)
            let ids = (0..<20).map { pipe.begin("load", "\"url\":\"\(origin.url("/\($0)"))\"") }
            await origin.waitForRequests(1)
            // Lines are read in order: after this response all load lines have been read.
            _ = try await pipe.call("stats")
            if isSignal { pipe.send(SIGTERM) } else { pipe.closeInput() }
            for id in ids {
                let answer = try await pipe.response(to: id)
                #expect(answer.outcome == "0 error")
                #expect(answer.error?.hasPrefix("cancelled") == true)
            }
            #expect(await pipe.exit() == 0)
        }
        await origin.stop()
    }

    @Test(arguments: [false, true])
    func hangingLoadDoesNotPreventTheExitAfterEndOfInputOrSIGTERM(_ isSignal: Bool) async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        // This process runs with the default time limits.
        try await PipeDriver.run([]) { pipe in
            _ = try await pipe.open(nil)
            _ = pipe.begin("load", "\"url\":\"\(origin.url("/1"))\"")
            await origin.waitForRequests(1)
            if isSignal { pipe.send(SIGTERM) } else { pipe.closeInput() }
            #expect(await pipe.exit() == 0)
        }
        await origin.stop()
    }

    @Test func sigtermEndsAnIdlePipeProcessWithExitCode0() async throws {
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(nil)
            pipe.send(SIGTERM)
            #expect(await pipe.exit() == 0)
        }
    }

    @Test func closedOutputEndsTheProcessWhileTheInputIsOpen() throws {
        let folder = try TemporaryFolder()
        let line = """
            mkfifo '\(folder.path("in"))'; exec 3<>'\(folder.path("in"))'; echo nonsense >&3; \
            { "$TOOL" pipe <&3 3>&-; echo $? >&2; } | head -c 1 >/dev/null
            """

        let run = try ToolRun(shell: line)

        #expect(run.errors == "0\n")
        #expect(run.exitCode == 0)
    }

    @Test func emptyInputEndsThePipeProcessImmediately() throws {
        let run = try ToolRun("pipe")

        #expect(run.exitCode == 0)
        #expect(run.output.isEmpty && run.errors.isEmpty)
    }

    @Test(arguments: [0, 1, 40, 150])
    func killedPipeProcessLeavesOnlyCompleteCacheEntries(_ answers: Int) async throws {
        let folder = try TemporaryFolder()
        let origin = try await origin()
        let killed = try PipeDriver()
        _ = try await killed.open(folder.path)
        let ids = (0..<200).map { killed.begin("load", "\"url\":\"\(origin.url("/\($0)"))\"") }
        for id in ids.prefix(answers) { #expect(try await killed.response(to: id).status == 200) }
        killed.send(SIGKILL)
        #expect(await killed.exit() == -SIGKILL)
        // Requests of the killed process may still reach the origin, so the later requests have a marker field.
        let mark = "\"headers\":[[\"X-After\",\"1\"]]"
        func requestsAfter() -> Int { origin.requests.count { $0["X-After"] != nil } }

        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            var kept = 0
            for number in 0..<200 {
                let answer = try await pipe.load(origin.url("/\(number)"), "\"policy\":\"cacheOnly\",\(mark)")
                #expect(["200 disk", "504 error"].contains(answer.outcome))
                guard answer.status == 200 else { continue }
                kept += 1
                #expect(answer.body == Self.bitmap(number))
            }
            // A response is sent after its entry is stored.
            #expect(kept >= answers)
            #expect(requestsAfter() == 0)
            for number in 0..<200 {
                #expect(try await pipe.load(origin.url("/\(number)"), mark).body == Self.bitmap(number))
            }
            #expect(requestsAfter() == 200 - kept)
        }
        await origin.stop()
    }

    @Test func flushedEntriesAreVisibleToAnotherProcess() async throws {
        let folder = try TemporaryFolder()
        let origin = try await origin()
        try await PipeDriver.run { pipe in
            try await PipeDriver.run { neighbour in
                _ = try await pipe.open(folder.path)
                _ = try await neighbour.open(folder.path)
                for number in 0..<10 { _ = try await pipe.load(origin.url("/\(number)")) }
                #expect(try await pipe.call("flush").ok == true)
                for number in 0..<10 {
                    let answer = try await neighbour.load(origin.url("/\(number)"))
                    #expect(answer.outcome == "200 disk")
                    #expect(answer.body == Self.bitmap(number))
                }
                #expect(origin.requests.count == 10)
            }
        }
        await origin.stop()
    }

    @Test func proxyFromTheEnvironmentIsNotUsedForLoopbackAddresses() async throws {
        let origin = try await PipeOrigin(maxAge: nil)
        let pipe = try PipeDriver(environment: [
            "http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1",
        ])
        _ = try await pipe.open(nil)
        let outcome = try? await pipe.load(origin.url()).outcome
        pipe.closeInput()

        #expect(outcome == "200 network")
        #expect(await pipe.exit() == 0)
    }

    #if os(Linux)
    @Test func toolIsDynamicallyLinkedWithTheSystemCLibrary() throws {
        // Dynamic linking is required for preloading (`LD_PRELOAD`) libraries that change the clock or inject faults.
        let run = try ToolRun(shell: "ldd \"$TOOL\"")

        #expect(run.exitCode == 0)
        #expect(run.text.contains("libc.so."))
    }
    #endif
}
