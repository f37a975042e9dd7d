import Foundation
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
}
