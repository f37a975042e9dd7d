#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Testing

/// The options `--isolation` and `--decoder`.
@Suite struct IsolationOptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a command in process and with workers; expects the same exit code, output and errors.
    private func expectEqualRuns(_ arguments: String...) throws {
        let inProcess = try ToolRun(arguments + ["--isolation", "off"])
        let isolated = try ToolRun(arguments + ["--isolation", "on"])

        #expect(isolated.exitCode == inProcess.exitCode, "\(arguments): \(isolated.errors)")
        #expect(isolated.output == inProcess.output, "\(arguments)")
        #expect(isolated.errors == inProcess.errors, "\(arguments)")
    }

    @Test(arguments: [
        "demo/mountains.jpg", "demo/window.png", "demo/orbit.gif", "demo/letter-g4.tif", "demo/invader-rle4.bmp",
        "demo/poster-cmyk.jpg", "gif/truncated-after-7-rows.gif", "png/bad-crc-idat.png",
    ])
    func decodeWithWorkersWritesTheSameBytesStatusAndWarnings(_ name: String) throws {
        try expectEqualRuns("decode", fixturePath(name))
        try expectEqualRuns("decode", "--digest", "--as-stored", fixturePath(name))
        try expectEqualRuns("decode", "--status", "-", "--strict", fixturePath(name))
    }

    @Test func decodeOfAFrameWithWorkersWritesTheSameBytes() throws {
        for frame in ["0", "2", "99"] {
            try expectEqualRuns("decode", "--frame", frame, fixturePath("demo/orbit.gif"))
        }
    }

    @Test func filesThatDoNotDecodeHaveTheSameErrorWithWorkers() throws {
        let unsupported = try folder.write(avif, to: "a.avif")
        let huge = try folder.write(hugeBitmap, to: "huge.bmp")
        let empty = try folder.write([], to: "empty.png")

        try expectEqualRuns("decode", "--digest", unsupported, huge, empty, folder.path("missing.png"))
        try expectEqualRuns("info", unsupported, huge, empty)
    }

    @Test func infoWithWorkersPrintsTheSameText() throws {
        let files = ["demo/mountains.jpg", "demo/display-p3.png", "demo/orbit.gif", "demo/letter-g4.tif"]
        try expectEqualRuns("info", fixturePath(files[0]), fixturePath(files[1]), fixturePath(files[2]))
        for file in files { try expectEqualRuns("info", "--json", "--hash", fixturePath(file)) }
    }

    @Test(arguments: [
        ["demo/mountains.jpg", "--metadata", "all"], ["demo/display-p3.png", "--profile", "keep"],
        ["demo/orbit.gif", "--frame", "all", "--format", "gif"], ["demo/orbit.gif", "--frame", "1"],
        ["demo/city-lights-turned.jpg", "--accuracy", "draft"], ["demo/dunes-16-bit.tif", "--fit", "cover"],
    ])
    func thumbWithWorkersWritesTheSameFile(_ arguments: [String]) throws {
        try expectEqualRuns("thumb", fixturePath(arguments[0]), "-s", "40x30", "-o", "-", arguments[1], arguments[2])
    }

    @Test func thumbsOfSeveralFilesWithWorkersAreTheSameFiles() throws {
        for mode in ["on", "off"] {
            let run = try ToolRun(
                "thumb", "-r", fixturePath("demo"), "-s", "32", "-o", folder.path(mode) + "/", "--isolation", mode)
            #expect(run.exitCode == 0, "\(run.errors)")
        }

        let isolated = try FileManager.default.contentsOfDirectory(atPath: folder.path("on")).sorted()
        #expect(isolated.count > 5)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("off")).sorted() == isolated)
        for name in isolated { #expect(try folder.read("on/\(name)") == folder.read("off/\(name)"), "\(name)") }
    }

    private static var commands: [[String]] {
        let file = fixturePath("demo/window.png")
        return [
            ["decode", file, "--isolation", "on"], ["info", file, "--isolation", "on"],
            ["thumb", file, "-s", "8", "-o", "-", "--isolation", "on"],
            ["serve", "--unsafe", "--port", "0", "--admin-port", "off"],
        ]
    }

    @Test(arguments: commands)
    func missingWorkerProgramExitsWith64AndDecodesNothing(_ command: [String]) throws {
        let run = try ToolRun(command + ["--decoder", folder.path("none")])

        #expect(run.exitCode == 64 && run.output.isEmpty)
        #expect(run.errors.contains("the worker program \"\(folder.path("none"))\" does not exist"), "\(run.errors)")
    }

    @Test(arguments: commands)
    func workerProgramThatIsNotExecutableExitsWith64(_ command: [String]) throws {
        let path = try folder.write([0], to: "decoder")

        let run = try ToolRun(command + ["--decoder", path])

        #expect(run.exitCode == 64 && run.output.isEmpty)
        #expect(run.errors.contains("the worker program \"\(path)\" is not executable"), "\(run.errors)")
    }

    @Test func programThatIsNotAWorkerExitsWith64() throws {
        let run = try ToolRun("info", fixturePath("demo/window.png"), "--isolation", "on", "--decoder", "/bin/true")

        #expect(run.exitCode == 64 && run.output.isEmpty)
        #expect(run.errors.contains("\"/bin/true\" did not start as a decode worker"), "\(run.errors)")
    }

    @Test(arguments: [["--isolation", "maybe"], ["--decoder", ""]])
    func invalidIsolationOptionExitsWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(["info", fixturePath("demo/window.png")] + arguments).exitCode == 64)
    }

    @Test func withoutIsolationTheWorkerProgramIsNotUsed() throws {
        let run = try ToolRun("info", fixturePath("demo/window.png"), "--decoder", folder.path("none"))

        #expect(run.exitCode == 0)
    }
}
#endif
