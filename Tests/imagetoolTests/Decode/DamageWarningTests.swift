import PlatformImage
import PlatformImageTestSupport
import Testing

/// Warnings and errors of the thumbnail commands for damaged and for malicious files.
@Suite struct DamageWarningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func thumbOfAllFramesReportsDamageOfAnyFrame() throws {
        let source = fixturePath("gif/animation-bad-code.gif")

        let run = try ToolRun(
            "thumb", source, "-s", "6", "--frame", "all", "--ndjson", "-o", folder.path("all.png"))

        #expect(run.exitCode == 0)
        #expect(run.errors.hasPrefix("\(source): corrupt("))
        #expect(run.text.contains("\"status\":\"corrupt\""))
    }

    @Test func contactSheetAndInfoWithTheHashOptionReportDamageOnStderr() throws {
        let source = fixturePath("gif/truncated-after-7-rows.gif")

        let sheet = try ToolRun("contact-sheet", source, "-s", "16", "-o", folder.path("sheet.png"))
        let hash = try ToolRun("info", "--hash", source)

        #expect(sheet.exitCode == 0 && sheet.errors.hasPrefix("\(source): truncated(rows 7): "))
        #expect(hash.exitCode == 0 && hash.errors.hasPrefix("\(source): truncated(rows 7): "))
        #expect(hash.text.contains("blurHash"))
    }

    @Test(arguments: ["0", "all"])
    func thumbnailOverThePixelLimitExitsWith77ForOneFrameAndForAllFrames(_ frame: String) throws {
        let run = try ToolRun(
            "thumb", fixturePath("demo/orbit.gif"), "-s", "20000x20000!", "--enlarge", "--frame", frame, "-o",
            folder.path("large.png"))

        #expect(run.exitCode == 77 && run.errors.contains("limitExceeded"), "\(run.errors)")
        #expect(try folder.names.isEmpty)
    }

    @Test func thumbWithTheEmbeddedOptionUsesTheEmbeddedThumbnail() throws {
        func file(_ color: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
            let plain = Bitmap(width: width, height: height) { pixels in
                for at in 0..<pixels.count { pixels[at] = color[at & 3] }
            }
            return try ImageEncoder().encode(plain, as: .jpeg)
        }
        let bytes = CameraFile.jpeg(try file([200, 0, 0, 255], 96, 64), with: try file([0, 0, 200, 255], 48, 32))

        let own = try ToolRun(["thumb", "-", "-s", "24", "--embedded", "-o", "-", "--format", "png"], input: bytes)
        let made = try ToolRun(["thumb", "-", "-s", "24", "-o", "-", "--format", "png"], input: bytes)

        #expect(own.exitCode == 0 && made.exitCode == 0, "\(own.errors) \(made.errors)")
        let (blue, red) = (try ImageDecoder().decode(own.output).bitmap, try ImageDecoder().decode(made.output).bitmap)
        #expect(blue.width == 24 && blue[5, 5].blue > 190 && blue[5, 5].red < 10)
        #expect(red.width == 24 && red[5, 5].red > 190 && red[5, 5].blue < 10)
    }
}
