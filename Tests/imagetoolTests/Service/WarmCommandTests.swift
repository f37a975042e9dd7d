import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import imagetool

/// `imagetool warm` against a simulated service and with an in-process service.
@Suite struct WarmCommandTests {
    private static func origin() async throws -> LoopbackOrigin {
        try await LoopbackOrigin { request in
            guard request.target.hasPrefix("/unsafe/") else { return .response(OriginResponse(status: 404)) }
            return .ok(Array("12345".utf8), [OriginField("X-Cache", "render")])
        }
    }

    @Test func everyTargetOfTheListIsRequestedOnce() async throws {
        let origin = try await Self.origin()
        let folder = try TemporaryFolder()
        let targets = (1...20).map { "/unsafe/\($0)x1/a.png" }
        let whole = origin.url("/unsafe/21x1/a.png")
        let list = "# a list\r\n\n" + targets.joined(separator: "\r\n") + "\n\(whole)"
        try folder.write(Array(list.utf8), to: "list")

        let base = origin.url("/")
        let run = try ToolRun("warm", "--urls", folder.path("list"), "--server", base, "--rate", "100000")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(Set(origin.requests.map(\.target)) == Set(targets + ["/unsafe/21x1/a.png"]))
        #expect(origin.requests.count == 21)
        let row = run.text.split(separator: "\n").last?.split(separator: " ").prefix(4)
        #expect(row == ["200", "render", "21", "105"])
        await origin.stop()
    }

    @Test func invalidLineOfTheListIsReportedAndValidLinesAreRequested() async throws {
        let origin = try await Self.origin()
        let folder = try TemporaryFolder()
        let lines = ["/unsafe/1x1/a.png", "unsafe/2x1/a.png", "http://127.0.0.1:1/a", "/none", "/a b", "/unsafe/3x1/a"]
        let list = Array((lines.joined(separator: "\n") + "\n/\u{1B}[31m\n").utf8) + [0x2F, 0xFF, 0x0A]
        try folder.write(list, to: "list")

        let run = try ToolRun(
            "warm", "--urls", folder.path("list"), "--server", origin.url(""), "--rate", "100000", "--ndjson")

        #expect(run.exitCode == 1)
        let reportedLines = run.errors.split(separator: "\n").map {
            $0.dropFirst(folder.path("list").count + 1).prefix(1)
        }
        #expect(reportedLines == ["2", "3", "4", "5", "7", "8"])
        let answers = run.text.split(separator: "\n")
        #expect(answers.count == 8)
        #expect(answers.first?.hasPrefix("{\"line\":1,\"target\":\"/unsafe/1x1/a.png\",\"status\":200") == true)
        #expect(answers.count { $0.contains("\"status\":200") } == 2)
        #expect(run.output.allSatisfy { $0 == 0x0A || $0 >= 0x20 })
        #expect(Set(origin.requests.map(\.target)) == ["/unsafe/1x1/a.png", "/unsafe/3x1/a", "/none"])
        await origin.stop()
    }

    @Test func cacheDirectoryThatIsAFileExitsWith74() throws {
        let folder = try TemporaryFolder()
        for name in ["list", "file"] { try folder.write(Array("1x1/a.example/a\n".utf8), to: name) }

        let run = try ToolRun(
            "warm", "--urls", folder.path("list"), "--set", "signing.unsafe=on", "--set",
            "cache.directory=\(folder.path("file"))")

        #expect(run.exitCode == 74)
        #expect(run.errors == "\(folder.path("file")): io: cache.directory is not a directory\n")
    }

    @Test func warmWithoutAServerURLFillsTheDiskCache() throws {
        let folder = try TemporaryFolder()
        try folder.write(try Fixture.file("png/rgba8.png"), to: "a.png")
        let settings = ["source.fileRoot=\(folder.path)", "signing.unsafe=on", "cache.directory=\(folder.path("c"))"]
        let options = settings.flatMap { ["--set", $0] }
        let list = Array("/unsafe/5x5/a.png\n/unsafe/6x6/a.png\n".utf8)

        for source in ["render", "disk"] {
            let run = try ToolRun(["warm", "--urls", "-"] + options, input: list)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(
                run.text.split(separator: "\n").last?.split(separator: " ").prefix(3) == [
                    "200", Substring(source), "2",
                ])
        }
    }

    @Test func intervalBetweenRequestsIsTheInverseOfTheRate() {
        let start = ContinuousClock.now
        for rate in [0.5, 20, 3_000] {
            let pace = Pace(perSecond: rate, start: start)
            #expect(pace.instant(of: 0) == start)
            for turn in 1...100 {
                let gap = pace.instant(of: turn) - pace.instant(of: turn - 1)
                #expect(abs(gap / .seconds(1) - 1 / rate) < 1e-6)
            }
        }
    }

    @Test func invalidWarmArgumentsExitWith64AndAMissingListWith66() throws {
        for arguments in [["--rate", "0"], ["--jobs", "0"], ["--timeout", "0"], ["--server", "a", "--set", "a=b"]] {
            #expect(try ToolRun(["warm", "--urls", "-"] + arguments).exitCode == 64)
        }
        #expect(try ToolRun("warm", "--urls", "-", "--set", "server.prot=1").exitCode == 64)
        #expect(try ToolRun("warm", "--urls", "/nowhere/list", "--server", "http://127.0.0.1:1").exitCode == 66)
    }
}
