import Foundation
import PlatformImageTestSupport
import Testing

@Suite struct DecodeBenchTests {
    @Test func benchDecodeReportsTheRatioToTheBaselineLibrary() throws {
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
        let run = try ToolRun(
            bench: "decode", "--iterations", "2", "--json", fixturePath("gif/frames-40.gif"),
            fixturePath("png/rgba8.png"))

        let results = try JSONDecoder().decode([Result].self, from: Data(run.output))
        #expect(run.exitCode == 0)
        #expect(results.map(\.frames) == [40, 1])
        #expect(results.allSatisfy { $0.iterations == 2 && $0.twin != nil && ($0.ratio ?? 0) > 0 })
        #expect(results.allSatisfy { $0.cpuNanosecondsPerPixel.min <= $0.cpuNanosecondsPerPixel.median })
    }

    @Test func benchDecodeWithReportWritesTheFileAndPrintsTheTable() throws {
        let folder = try TemporaryFolder()

        let run = try ToolRun(
            bench: "decode", "--rounds", "1", "--report", folder.path("report.json"), fixturePath("png/rgba8.png"))

        let report = String(decoding: try folder.read("report.json"), as: UTF8.self)
        #expect(run.exitCode == 0)
        #expect(run.text.contains("rgba8.png  PNG RGBA"))
        // Small images have no speed target (`bar`).
        #expect(report.contains("\"bar\":null,\"verdict\":null,\"library\":\"libpng "))
    }

    @Test func benchAgreeCountsComparedPNGAndGIFFilesAndIgnoresABMPFile() throws {
        let run = try ToolRun(
            bench: "agree", fixturePath("png/rgba8.png"), fixturePath("gif/frames-40.gif"),
            fixturePath("bmp/header-40-palette8.bmp"))

        // The PNG in lenient and in strict mode, and every frame of the GIF.
        #expect(run.text == "2 files compared, 42 images equal, 0 files differ\n")
        #expect(run.exitCode == 0)
    }

    @Test(arguments: ["--no-baseline", "--no-twin"])
    func benchDecodeWithoutABaselineReportsANullRatio(_ option: String) throws {
        let run = try ToolRun(bench: "decode", "--iterations", "1", option, "--json", "-", input: smallBitmap)

        #expect(run.exitCode == 0)
        #expect(run.text.contains("\"twin\":null,\"ratio\":null"))
    }

    @Test func benchDecodeWithTheTurnsOptionPrintsTwoMeasurementsForEachLineOfStdin() throws {
        let run = try ToolRun(
            bench: "decode", "--turns", fixturePath("png/rgba8.png"), input: Array("\n\n".utf8))

        let lines = run.text.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(run.exitCode == 0)
        #expect(lines.count == 3 && lines.first?.count ?? 0 >= 4)
        #expect(lines.dropFirst().allSatisfy { $0.count == 2 && $0.allSatisfy { Int($0) ?? 0 > 0 } })
    }

    @Test func imagetoolExitsWith64ForBenchmarkCommands() throws {
        for command in ["bench", "demo", "demo-service"] { #expect(try ToolRun(command).exitCode == 64) }
    }
}
