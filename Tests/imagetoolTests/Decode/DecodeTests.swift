import PlatformImageTestSupport
import Testing

@Suite struct DecodeTests {
    @Test func digestIsTheSHA256OfTheRGBARows() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(smallBitmap, to: "small.bmp")

        let run = try ToolRun("decode", "--digest", path)

        #expect(run.text == "\(smallBitmapDigest)  \(path)\n")
        #expect(run.errors.isEmpty)
        #expect(run.exitCode == 0)
    }

    @Test func digestOfEveryFixtureWithExactPixelsMatchesTheFixtureManifest() throws {
        let fixtures = Fixture.all.filter { $0.expect.pixels != nil && ($0.expect.maxDifference ?? 0) == 0 }
        let paths = fixtures.map { fixturePath($0.path) }

        let run = try ToolRun(["decode", "--digest", "--as-stored"] + paths)

        let lines = run.text.split(separator: "\n").map(String.init)
        let expected = zip(fixtures, paths).map { "\($0.expect.pixels ?? "")  \($1)" }
        #expect(Set(expected).subtracting(lines).sorted() == [])
        #expect(lines.count == fixtures.count)
        #expect(run.exitCode == 0)
    }

    @Test func digestsOfAnimationFramesMatchTheFixtureManifest() throws {
        let animations = Fixture.all.filter { $0.animation?.status == nil && ($0.animation?.frames.count ?? 0) > 1 }
        for fixture in animations.prefix(12) {
            let path = fixturePath(fixture.path)
            for (index, frame) in (fixture.animation?.frames ?? []).enumerated().suffix(2) {
                let run = try ToolRun("decode", "--digest", "--as-stored", "--frame", String(index), path)

                #expect(run.text == "\(frame.pixels)  \(path)\n", "\(fixture) frame \(index)")
            }
        }
    }

    @Test func dashAsInputReadsStdin() throws {
        let run = try ToolRun("decode", "--digest", "-", input: smallBitmap)

        #expect(run.text == "\(smallBitmapDigest)  -\n")
    }

    @Test func defaultOutputFormatIsPAM() throws {
        let run = try ToolRun("decode", "-", input: smallBitmap)

        let head = "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        #expect(run.output == Array(head.utf8) + smallBitmapPixels)
    }

    @Test func rawOutputContainsOnlyThePixelRows() throws {
        let run = try ToolRun("decode", "--format", "raw", "-", input: smallBitmap)

        #expect(run.output == smallBitmapPixels)
    }

    @Test(arguments: ["png/rgba8.png", "jpeg/cmyk-icc.jpg", "gif/transparent.gif"])
    func writtenPNGDecodesToTheSamePixels(_ name: String) throws {
        let path = fixturePath(name)
        let folder = try TemporaryFolder()

        let written = try ToolRun("decode", "--format", "png", "--output", folder.path("out.png"), path)
        let direct = try ToolRun("decode", "--digest", path)
        let again = try ToolRun("decode", "--digest", "--strict", folder.path("out.png"))

        #expect(written.exitCode == 0)
        #expect(direct.text.prefix(64) == again.text.prefix(64))
        #expect(again.errors.isEmpty)
    }

    @Test func premultipliedOptionMultipliesColorsByAlpha() throws {
        let path = fixturePath("png/rgba8.png")
        let straight = try ToolRun("decode", "--format", "raw", path).output

        let run = try ToolRun("decode", "--format", "raw", "--premultiplied", path)

        let expected = straight.indices.map { at -> UInt8 in
            let product = Int(straight[at]) * Int(straight[at | 3]) + 128
            return at % 4 == 3 ? straight[at] : UInt8((product + product >> 8) >> 8)
        }
        #expect(run.output == expected)
    }

    @Test func truncatedImageIsWrittenWithAWarning() throws {
        let run = try ToolRun("decode", "--format", "raw", "-", input: cutBitmap)

        #expect(run.exitCode == 0)
        #expect(run.output.count == smallBitmapPixels.count)
        #expect(run.errors.hasPrefix("-: truncated(rows "))
    }

    @Test func failedDecodeOrWriteKeepsThePreviousOutputFile() throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "out.raw")
        let path = folder.path("out.raw")

        let failed = try ToolRun("decode", "--format", "raw", "--output", path, "-", input: avif)
        #expect(failed.exitCode == 65)
        #expect(try folder.read("out.raw") == [1, 2, 3])

        try folder.write(largeBitmap, to: "in.bmp")
        let limited = try ToolRun(shell: "cd '\(folder.path)'; ulimit -f 1; \"$TOOL\" decode -o out.raw in.bmp")
        #expect(limited.exitCode == 74)
        #expect(try folder.read("out.raw") == [1, 2, 3])

        let written = try ToolRun("decode", "--format", "raw", "--output", path, "-", input: smallBitmap)
        #expect(written.exitCode == 0)
        #expect(try folder.read("out.raw") == smallBitmapPixels)
        #expect(try folder.names == ["in.bmp", "out.raw"])
    }
}
