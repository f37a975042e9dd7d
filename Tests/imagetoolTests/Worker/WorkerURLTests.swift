import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import PlatformImageToolSupport
import Testing

/// The member `url` of requests to `imagetool worker`.
@Suite(.timeLimit(.minutes(30))) struct WorkerURLTests {
    private func answer(_ url: String, _ arguments: [String], deadline: Int? = nil) throws -> WorkerAnswerLine {
        let limit = deadline.map { ",\"deadlineMs\":\($0)" } ?? ""
        let line = "{\"id\":1,\"op\":\"info\",\"url\":\"\(url)\"\(limit)}\n"
        let run = try ToolRun(["worker", "-j", "1", "--isolation", "off"] + arguments, input: Array(line.utf8))
        #expect(run.exitCode == 0, "\(run.errors)")
        let answers = try WorkerAnswerLine.all(run.output)
        return try #require(answers.first)
    }

    /// The arguments that allow an origin.
    private static func allow(_ origin: LoopbackOrigin) -> [String] {
        ["--allow-url", "--allow-host", "127.0.0.1:\(origin.port)", "--allow-cidr", "127.0.0.0/8"]
    }

    private func url(_ origin: LoopbackOrigin, _ path: String) -> String { origin.url(path, host: "127.0.0.1") }

    @Test func imageAtAnAllowedURLIsDecoded() async throws {
        let origin = try await PipeOrigin(maxAge: nil).origin
        let allowed = try answer(url(origin, "/a.png"), Self.allow(origin))
        let missing = try answer(url(origin, "/b.png"), Self.allow(origin))

        #expect(allowed.status == "complete" && allowed.json["width"]?.integer == 19, "\(allowed.json.text)")
        #expect(missing.code == "http", "\(missing.json.text)")
        await origin.stop()
    }

    @Test func urlOutsideTheAllowListIsRefusedWithoutARequest() async throws {
        let origin = try await PipeOrigin(maxAge: nil).origin
        let other = ["--allow-url", "--allow-host", "127.0.0.1:1"]
        for arguments in [[], other, ["--allow-url", "--allow-host", "localhost:\(origin.port)"]] {
            let refused = try answer(url(origin, "/a.png"), arguments)
            #expect(refused.code == "urlNotAllowed", "\(arguments) \(refused.json.text)")
        }
        let privateAddress = try answer(
            url(origin, "/a.png"), ["--allow-url", "--allow-host", "127.0.0.1:\(origin.port)"])
        #expect(privateAddress.code == "urlNotAllowed", "\(privateAddress.json.text)")
        #expect(origin.requests.isEmpty)
        for host in ["https://example.com", "example.com/a", "user@example.com", ""] {
            #expect(try ToolRun("worker", "--allow-url", "--allow-host", host).exitCode == 64, "\(host)")
        }
        for invalid in ["file:///etc/passwd", "ftp://127.0.0.1/", "http://", "x"] {
            #expect(try answer(invalid, Self.allow(origin)).status == "failed", "\(invalid)")
        }
        await origin.stop()
    }

    @Test func redirectToAHostOutsideTheAllowListIsRefused() async throws {
        let target = try await PipeOrigin(maxAge: nil).origin
        let location = url(target, "/a.png")
        let origin = try await PipeOrigin(["/a.png": { _ in PipeOrigin.response(302, ["Location": location]) }]).origin

        let refused = try answer(url(origin, "/a.png"), Self.allow(origin))
        #expect(refused.code == "urlNotAllowed", "\(refused.json.text)")
        #expect(origin.requests.count == 1 && target.requests.isEmpty)
        await origin.stop()
        await target.stop()
    }

    @Test func originThatDoesNotAnswerBeforeTheDeadlineFailsWithTimedOut() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: smallBitmap)
            response.gate = gate
            return .response(response)
        }
        #expect(try answer(url(origin, "/a"), Self.allow(origin), deadline: 200).code == "timedOut")
        gate.open()
        await origin.stop()
    }

    #if os(Linux)
    /// The first request waits for its origin. The results of the others, of 4 MB each, wait for its answer.
    @Test func resultsBehindASlowRequestHaveAtMostTheBytesInFlight() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: smallBitmap)
            response.gate = gate
            return .response(response)
        }
        let (count, side) = (60, 1000)
        let worker = try WorkerDriver(
            ["-j", "2", "--isolation", "off", "--ordered", "--max-in-flight", "\(count + 1)"]
                + ["--max-bytes-in-flight", "\(16 << 20)"] + Self.allow(origin))
        worker.send("{\"id\":0,\"op\":\"info\",\"url\":\"\(url(origin, "/a"))\"}")
        let image = try ImageEncoder().encode(Bitmap(width: side, height: side) { _ in }, as: .png)
        for id in 1...count { worker.send("{\"id\":\(id),\"op\":\"decode\",\"bytes\":\(image.count)}", image) }
        try worker.closeInput()

        // Until the worker has done all that it does before the first answer: no CPU time for a second.
        var (last, unchanged) = (try Self.processorTicks(of: worker.processIdentifier), 0)
        while unchanged < 20 || origin.requests.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            let now = try Self.processorTicks(of: worker.processIdentifier)
            unchanged = now == last ? unchanged + 1 : 0
            last = now
        }
        let peak = try Self.peakBytes(of: worker.processIdentifier)
        gate.open()
        for id in 0...count {
            let answer = try worker.next()
            #expect(answer?.id == "\(id)" && answer?.status == "complete", "\(id)")
            #expect(answer?.body.count == (id == 0 ? 0 : side * side * 4))
        }
        #expect(worker.exitCode() == 0)
        // 16 MiB of waiting results, two results that are being made, and the program with its decoders.
        #expect(peak < 96 << 20, "\(peak) bytes")
        await origin.stop()
    }

    /// CPU time of a process in clock ticks.
    private static func processorTicks(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        return try #require(Int(fields[12])) + #require(Int(fields[13]))
    }

    private static func peakBytes(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
    }
    #endif
}
