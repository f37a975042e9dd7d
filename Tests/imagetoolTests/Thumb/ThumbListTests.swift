import Foundation
import PlatformImageTestSupport
import Testing

/// Lists of `imagetool thumb --files-from`, which are read line by line.
@Suite(.timeLimit(.minutes(30))) struct ThumbListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func thumbnailIsReportedWhileTheListIsOpen() throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")
        let second = try folder.write(smallBitmap, to: "b.bmp")
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = ToolRun.executable
        process.arguments = ["thumb", "--files-from", "-", "-s", "1", "-o", folder.path("out/"), "--ndjson"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()

        for path in [source, second] {
            try input.fileHandleForWriting.write(contentsOf: Data("\(path)\n".utf8))
            let row = output.fileHandleForReading.readAvailable()
            #expect(String(decoding: row, as: UTF8.self).contains("\"input\":\"\(path)\",\"result\":\"made\""))
        }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func longListIsReportedInItsOrder() throws {
        try folder.write(smallBitmap, to: "a.bmp")
        let names = (0..<500).map { "n\($0).bmp" }
        for name in names {
            try FileManager.default.linkItem(atPath: folder.path("a.bmp"), toPath: folder.path(name))
        }
        let paths = names.map { folder.path($0) } + [folder.path("missing.bmp"), folder.path(names[3])]
        let list = Array(paths.joined(separator: "\n").utf8)
        let run = try ToolRun(
            "thumb", "--files-from", "-", "-s", "1", "-o", folder.path("out/"), "--ndjson", "-j", "3", input: list)

        let inputs = run.text.split(separator: "\n").map { row in
            paths.first { row.contains("\"input\":\"\($0)\"") } ?? ""
        }
        #expect(run.exitCode == 1 && inputs == paths)
        #expect(run.errorLines.count == 2)
        #expect(run.errors.contains("missing.bmp: noInput") && run.errors.contains("\(paths[3]): sameOutput: "))
    }

    @Test(arguments: ["-", "fixed.png"])
    func secondInputOfAListWithOneOutputExitsWith64(_ output: String) throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")
        let output = output == "-" ? output : folder.path(output)
        let one = try ToolRun("thumb", "--files-from", "-", "-s", "1", "-o", output, input: Array(source.utf8))
        let two = try ToolRun(
            "thumb", "--files-from", "-", "-s", "1", "-o", output, input: Array("\(source)\n\(source)".utf8))
        #expect(one.exitCode == 0, "\(one.errors)")
        #expect(two.exitCode == 64, "\(two.errors)")
    }

    @Test func fileInTheFolderOfItsInputIsNotReplacedBecauseItCanBeALaterInput() throws {
        let first = try folder.write(smallBitmap, to: "x.bmp")
        let later = try folder.write(try Fixture.file("png/rgba8.png"), to: "x.png")
        let list = Array("\(first)\n\(later)".utf8)
        let beside = try ToolRun(
            "thumb", "--files-from", "-", "-s", "1", "-o", "\(folder.path)/{name}.png", "--ndjson", input: list)
        #expect(beside.exitCode == 1)
        #expect(beside.errorLines.allSatisfy { $0.contains(": sameOutput: ") }, "\(beside.errors)")
        #expect(try folder.read("x.png") == Fixture.file("png/rgba8.png"))

        for _ in 0..<2 {
            let other = try ToolRun(
                "thumb", "--files-from", "-", "-s", "1", "-o", folder.path("out/"), input: Array(first.utf8))
            #expect(other.exitCode == 0, "\(other.errors)")
        }
    }

    @Test func listThatCannotBeReadIsReported() throws {
        let missing = try ToolRun("thumb", "--files-from", folder.path("none"), "-s", "1", "-o", folder.path("out/"))
        let directory = try ToolRun("thumb", "--files-from", folder.path, "-s", "1", "-o", folder.path("out/"))
        #expect(missing.exitCode == 66 && missing.errors.hasPrefix("\(folder.path("none")): noInput: "))
        #expect(directory.exitCode == 74 && directory.errors.hasPrefix("\(folder.path): io: "), "\(directory.errors)")
    }
}
