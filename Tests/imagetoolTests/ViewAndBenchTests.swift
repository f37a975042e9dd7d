#if Tool
import Foundation
import PlatformImageTestSupport
import Testing

@Suite struct ViewAndBenchTests {
    @Test func viewPrintsHalfBlocksWhenForced() throws {
        let run = try ToolRun("view", "--force", "-", input: smallBitmap)

        let escape = "\u{1B}"
        let red = "\(escape)[38;2;255;0;0m\(escape)[48;2;0;0;255m▀"
        let green = "\(escape)[38;2;0;255;0m\(escape)[48;2;255;255;255m▀"
        #expect(run.text == "\(red)\(green)\(escape)[0m\n")
    }

    @Test func viewPrintsNothingWhereThereIsNoTerminal() throws {
        let run = try ToolRun("view", "-", input: smallBitmap)

        #expect(run.output.isEmpty)
        #expect(run.exitCode == 0)
    }

    @Test func viewKeepsTheAspect() throws {
        let run = try ToolRun("view", "--force", "--width", "10", "-", input: largeBitmap)

        let lines = run.text.split(separator: "\n")
        #expect(lines.map { $0.count { $0 == "▀" } } == [10, 10, 10, 10, 10])
    }

    @Test func benchComparesWithTheTwin() throws {
        struct Summary: Decodable {
            let min: Double
            let median: Double
        }
        struct Twin: Decodable { let cpuNanosecondsPerPixel: Summary }
        struct Result: Decodable {
            let file: String
            let format: String
            let width: Int
            let height: Int
            let frames: Int
            let iterations: Int
            let cpuNanosecondsPerPixel: Summary
            let wallNanosecondsPerPixel: Summary
            let twin: Twin?
            let ratio: Double?
        }
        let names = ["gif/frames-40.gif", "png/rgba8.png"]
        let paths = names.map { fixturePath($0) }

        let run = try ToolRun(["bench", "decode", "--iterations", "2", "--json"] + paths)

        let results = try JSONDecoder().decode([Result].self, from: Data(run.output))
        #expect(run.exitCode == 0)
        #expect(results.map(\.frames) == [40, 1])
        #expect(results.allSatisfy { $0.iterations == 2 && $0.twin != nil && ($0.ratio ?? 0) > 0 })
        #expect(results.allSatisfy { $0.cpuNanosecondsPerPixel.min <= $0.cpuNanosecondsPerPixel.median })
    }

    @Test func benchWritesAReportBesideTheTable() throws {
        let folder = try TemporaryFolder()

        let run = try ToolRun(
            "bench", "decode", "--rounds", "1", "--report", folder.path("report.json"), fixturePath("png/rgba8.png"))

        let report = String(decoding: try folder.read("report.json"), as: UTF8.self)
        #expect(run.exitCode == 0)
        #expect(run.text.contains("rgba8.png  PNG RGBA"))
        // A picture so small has no bar.
        #expect(report.contains("\"bar\":null,\"verdict\":null,\"library\":\"libpng "))
    }

    @Test func agreeCountsWhatItComparedAndPassesOthersOver() throws {
        let names = ["png/rgba8.png", "gif/frames-40.gif", "bmp/header-40-palette8.bmp"]

        let run = try ToolRun(["bench", "agree"] + names.map { fixturePath($0) })

        // The PNG lenient and strict, and every frame of the GIF.
        #expect(run.text == "2 files compared, 42 pictures equal, 0 files differ\n")
        #expect(run.exitCode == 0)
    }

    @Test func benchWithoutTwinHasNoRatio() throws {
        let run = try ToolRun("bench", "decode", "--iterations", "1", "--no-twin", "--json", "-", input: smallBitmap)

        #expect(run.exitCode == 0)
        #expect(run.text.contains("\"twin\":null,\"ratio\":null"))
    }
}
#endif
