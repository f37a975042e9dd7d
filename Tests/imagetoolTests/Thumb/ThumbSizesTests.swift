import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageToolSupport

/// Several sizes in one run, new output folders, the summary and `--dry-run`.
@Suite struct ThumbSizesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tool(_ arguments: String) throws -> ToolRun {
        try ToolRun(shell: "cd '\(folder.path)' && \"$TOOL\" \(arguments)")
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(path)).sorted()
    }

    private func width(_ path: String) throws -> Int { try ImageDecoder().header(of: folder.read(path)).width }

    @Test(arguments: ["thumb -r in -s 8", "convert -r in", "thumb in/a.bmp in/b.bmp -s 8", "thumb 'in/*.bmp' -s 8"])
    func outputThatDoesNotExistIsAFolderForSeveralInputs(_ call: String) throws {
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
        for name in ["in/a.bmp", "in/b.bmp"] { try folder.write(largeBitmap, to: name) }

        let run = try tool("\(call) -o new/thumbs2")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errors == "imagetool: 2 written, 0 skipped, 0 failed\n")
        #expect(try names("new/thumbs2") == ["a.png", "b.png"])
    }

    @Test(arguments: [
        ("thumb 'in/*.bmp' -s 8", ["a.png"]), ("convert 'in/*.bmp'", ["a.png"]),
        ("thumb in/a.bmp -s 8 -s 9", ["a-8.png", "a-9.png"]), ("thumb 'in/[a].bmp' -s 8", ["a.png"]),
    ])
    func outputThatDoesNotExistIsAFolderForAPatternOfOneFileAndForSeveralSizes(
        _ call: String, _ files: [String]
    ) throws {
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
        try folder.write(largeBitmap, to: "in/a.bmp")

        let run = try tool("\(call) -o new")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try names("new") == files)
    }

    @Test func severalInputsWithAnImageAsOutputExitWith64() throws {
        for name in ["a.bmp", "b.bmp"] { try folder.write(smallBitmap, to: name) }

        let run = try tool("thumb a.bmp b.bmp -s 1 -o c.png")

        #expect(run.exitCode == 64 && run.errors.contains("folder or contain {name}"), "\(run.errors)")
        #expect(try folder.names == ["a.bmp", "b.bmp"])
    }

    @Test func everySizeIsWrittenAndEqualsTheFileOfARunWithThisSize() throws {
        try folder.write(largeBitmap, to: "a.bmp")
        try folder.write(try Fixture.file("gif/transparent.gif"), to: "b.gif")

        let run = try tool("thumb a.bmp b.gif -s 8 -s '10x5!' -s 100 -o out/ --frame all")
        for size in ["8", "10x5!", "100"] {
            let one = try tool("thumb a.bmp b.gif -s '\(size)' -o 'one/{name}-{size}.{ext}' --frame all --quiet")
            #expect(one.exitCode == 0 && one.errors.isEmpty, "\(one.errors)")
        }

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errors == "imagetool: 6 written, 0 skipped, 0 failed\n")
        let files = ["a-100.png", "a-10x5.png", "a-8.png", "b-100.png", "b-10x5.png", "b-8.png"]
        #expect(try names("out") == files)
        for file in files { #expect(try folder.read("out/\(file)") == folder.read("one/\(file)"), "\(file)") }
        #expect(try width("out/a-100.png") == 100 && width("out/a-10x5.png") == 10)
    }

    @Test(arguments: [
        "-s 8 -s 9 -o a.png", "-s 8 -s 9 -o '{name}.{ext}'", "-s 8 -s 9 -o -", "-s 8 -s 8 -o out/",
        "-s 8 -s 8x8 -o out/", "-s '8^' -s '8!' -o out/", "-s 8 -s '8^' -o '{name}-{size}.png'",
        "-s 8 -s x -o out/", "-s 8 -o '{name}-{nosize}.png'",
    ])
    func sizesWhoseNamesWouldCollideAreAUsageErrorBeforeAnyWork(_ options: String) throws {
        let run = try tool("thumb missing.bmp \(options)")

        #expect(run.exitCode == 64, "\(run.errors)")
        #expect(run.errors.hasPrefix("Error: "), "\(run.errors)")
        #expect(try folder.names.isEmpty)
    }

    @Test func sizesAboveTheImageWithTheSameFileNameAreWrittenOnce() throws {
        try folder.write(smallBitmap, to: "a.bmp")

        for _ in 0..<2 {
            let run = try tool("thumb a.bmp -s 100 -s 200 -o 'out/{name}-{w}.png' --manifest done")
            #expect(run.exitCode == 0, "\(run.errors)")
        }
        #expect(try names("out") == ["a-2.png"])
    }

    @Test func manifestKeepsTheStateOfEverySize() throws {
        try folder.write(largeBitmap, to: "a.bmp")

        let first = try tool("thumb a.bmp -s 8 -o 'out/{name}-{size}.{ext}' --manifest done")
        let both = try tool("thumb a.bmp -s 8 -s 9 -o 'out/{name}-{size}.{ext}' --manifest done")
        let again = try tool("thumb a.bmp -s 9 -s 8 -o 'out/{name}-{size}.{ext}' --manifest done")

        #expect(first.exitCode == 0 && first.errors.isEmpty, "\(first.errors)")
        #expect(both.errors == "imagetool: 1 written, 1 skipped (done in an earlier run: 1), 0 failed\n")
        #expect(again.errors == "imagetool: 0 written, 2 skipped (done in an earlier run: 2), 0 failed\n")
    }

    @Test func summaryCountsWrittenSkippedAndFailedFilesWithTheirReasons() throws {
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
        try folder.write(smallBitmap, to: "in/a.bmp")
        try folder.write(smallBitmap, to: "in/b.bmp")
        try folder.write([1, 2, 3], to: "in/c.png")
        try folder.write(avif, to: "in/d.heic")
        try folder.write([1], to: "in/e.txt")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "out"), withIntermediateDirectories: true)
        try folder.write([], to: "out/b.png")

        let run = try tool("thumb -r in -s 1 -o out --skip-existing >stdout")
        let quiet = try tool("thumb -r in -s 1 -o out --skip-existing --quiet")

        let expected =
            "imagetool: 1 written, 2 skipped (not an image by its name: 1, output exists: 1), "
            + "2 failed (unknownFormat: 1, unsupported: 1)\n"
        #expect(run.exitCode == 1 && run.errors.hasSuffix(expected), "\(run.errors)")
        #expect(run.errors.hasPrefix("in/c.png: unknownFormat: "))
        #expect(quiet.exitCode == 1 && !quiet.errors.contains("imagetool: "), "\(quiet.errors)")
    }

    @Test func dryRunPrintsTheOutputsAndWritesNothing() throws {
        try folder.write(largeBitmap, to: "a.bmp")
        try folder.write(smallBitmap, to: "b.bmp")
        let before = try folder.names

        let run = try tool("thumb a.bmp b.bmp -s 8 -s 16x -o 'out/{name}-{w}.{ext}' --dry-run --manifest done")
        let rows = try tool("convert a.bmp b.bmp -o out --dry-run --ndjson")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.text == "a.bmp -> out/a-8.png\na.bmp -> out/a-16.png\nb.bmp -> out/b-2.png\n")
        #expect(
            run.errors == "imagetool: 3 would be written, 1 skipped (same as another size: 1), 0 failed\n")
        let lines = rows.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("\"result\":\"planned\",\"output\":\"out/a.png\""), "\(lines)")
        #expect(try folder.names == before)
    }

    @Test func dryRunReportsOutputsThatWouldReplaceAnInputAndInputsThatAreNoImages() throws {
        try folder.write(smallBitmap, to: "a.bmp")
        try folder.write(smallBitmap, to: "a.png")
        try folder.write([1, 2], to: "c.png")

        let run = try tool("thumb a.bmp a.png c.png -s 1 -o '{name}.png' --dry-run")

        #expect(run.exitCode == 1)
        #expect(run.errors.contains("a.bmp: sameOutput: ") && run.errors.contains("c.png: unknownFormat: "))
    }

    @Test func maxBytesAcceptsUnits() {
        let cases: [(String, Int?)] = [
            ("0", 0), ("2000", 2_000), ("10k", 10_000), ("10kB", 10_000), ("10KB", 10_000), ("10KiB", 10_240),
            ("3M", 3_000_000), ("2MiB", 2 << 20), ("1g", 1_000_000_000), ("5B", 5), ("1T", 1_000_000_000_000),
            ("", nil), ("k", nil), ("-1", nil), ("1.5k", nil), ("10 k", nil), ("10x", nil), ("10bb", nil),
            ("99999999999999999999", nil), ("9999999999999T", nil),
        ]
        for (text, bytes) in cases { #expect(ByteCount(argument: text)?.bytes == bytes, "\(text)") }
    }

    @Test func maxBytesWithAUnitLimitsTheFile() throws {
        try folder.write(largeBitmap, to: "a.bmp")

        let run = try tool("thumb a.bmp -s 100 -o a.jpg --max-bytes 4k")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.read("a.jpg").count <= 4_000)
    }
}
