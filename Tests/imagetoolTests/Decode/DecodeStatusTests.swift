import Foundation
import PlatformImageTestSupport
import Testing

/// `imagetool decode --status`.
@Suite struct DecodeStatusTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Line: Codable, Equatable {
        var file: String
        var status: String
        var rows: Int?
        var warnings: [String]
        var error: String?
    }

    private func lines(_ bytes: [UInt8]) throws -> [Line] {
        try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Line.self, from: Data($0)) }
    }

    @Test func statusOutputHasOneJSONLinePerInputInInputOrder() throws {
        let whole = try folder.write(smallBitmap, to: "whole.bmp")
        let cut = fixturePath("gif/truncated-after-7-rows.gif")
        let corrupt = fixturePath("gif/animation-bad-code.gif")
        let refused = try folder.write(avif, to: "refused.avif")
        let missing = folder.path("missing.png")

        let run = try ToolRun("decode", "--frame", "0", "--status", "-", whole, cut, refused, missing)
        let broken = try ToolRun("thumb", corrupt, "-s", "6", "--frame", "all", "-o", folder.path("all.png"))

        #expect(run.exitCode == 1 && broken.exitCode == 0)
        let lines = try lines(run.output)
        #expect(lines.map(\.file) == [whole, cut, refused, missing])
        #expect(lines.map(\.status) == ["complete", "truncated", "failed", "failed"])
        #expect(lines.map(\.rows) == [2, 7, 0, 0])
        #expect(lines[0].error == nil && lines[1].error == nil)
        #expect(lines[2].error?.hasPrefix("unsupported(avif): ") == true)
        #expect(lines[3].error?.hasPrefix("noInput: ") == true)
    }

    @Test func statusOfACorruptImageContainsItsWarningsAndNoRowCount() throws {
        let path = fixturePath("png/bad-crc-idat.png")

        let run = try ToolRun("decode", "--status", "-", path)

        #expect(run.exitCode == 0)
        let line = try #require(try lines(run.output).first)
        #expect(line == Line(file: path, status: "corrupt", rows: nil, warnings: ["crc"], error: nil))
    }

    @Test func statusOfASuccessfulDecodeContainsErrorNull() throws {
        let run = try ToolRun(["decode", "--status", "-", "-"], input: smallBitmap)

        #expect(run.text == #"{"file":"-","status":"complete","rows":2,"warnings":[],"error":null}"# + "\n")
    }

    @Test func pixelsAreWrittenToStdoutAndStatusToTheStatusFile() throws {
        let status = folder.path("status.ndjson")

        let run = try ToolRun(["decode", "--format", "raw", "--status", status, "-"], input: cutBitmap)

        #expect(run.output.count == smallBitmapPixels.count)
        #expect(try lines(try folder.read("status.ndjson")).map(\.status) == ["truncated"])
    }

    @Test func errorOfAFailedDecodeIsWrittenToTheStatusFile() throws {
        let run = try ToolRun(["decode", "--strict", "--status", folder.path("status.ndjson"), "-"], input: cutBitmap)

        #expect(run.exitCode == 65 && run.output.isEmpty)
        let line = try #require(try lines(try folder.read("status.ndjson")).first)
        #expect(line.status == "failed" && line.rows == 0)
        #expect(line.error?.hasPrefix("truncated: ") == true)
    }

    @Test(arguments: [
        ["decode", "--status", "-", "--output", "-", "x.png"], ["decode", "--status", "-", "--digest", "x.png"],
        ["decode", "--status", "same", "--output", "same", "x.png"],
    ])
    func statusInTheSameOutputAsTheImageOrDigestExitsWith64(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 64 && run.output.isEmpty)
    }
}
