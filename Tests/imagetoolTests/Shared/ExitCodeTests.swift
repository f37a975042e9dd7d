import PlatformImageTestSupport
import Testing

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            ([], "unknownFormat: "), (Array("no picture".utf8), "unknownFormat: "), (avif, "unsupported(avif): "),
        ] as [([UInt8], String)])
    func invalidInputExitsWith65AndPrintsItsErrorCode(_ input: [UInt8], _ code: String) throws {
        let run = try ToolRun("decode", "-", input: input)

        #expect(run.exitCode == 65)
        #expect(run.errors.hasPrefix("-: " + code))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.output.isEmpty)
    }

    @Test func invalidFixturesFailWithTheErrorCodeOfTheFixtureManifest() throws {
        let fixtures = Fixture.all.filter { $0.expect.error != nil }

        let run = try ToolRun(["decode", "--digest", "--as-stored"] + fixtures.map { fixturePath($0.path) })

        #expect(run.exitCode == 1)
        #expect(run.output.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == fixtures.count)
        for fixture in fixtures {
            let code = (fixture.expect.error ?? "") + (fixture.expect.token.map { "(\($0))" } ?? "")
            let start = "\(fixturePath(fixture.path)): \(code)"
            #expect(lines.contains { $0.hasPrefix(start) }, "\(start)")
        }
    }

    @Test(arguments: ["info", "decode"])
    func missingFileOrFolderAsInputExitsWith66(_ command: String) throws {
        let folder = try TemporaryFolder()

        let missing = try ToolRun(command, folder.path("missing.png"))
        let directory = try ToolRun(command, folder.path)

        #expect(missing.exitCode == 66)
        #expect(missing.errors.hasPrefix("\(folder.path("missing.png")): noInput: "))
        #expect(directory.exitCode == 66)
    }

    @Test func exceededPixelLimitExitsWith77() throws {
        let small = try ToolRun("decode", "--max-pixels", "3", "-", input: smallBitmap)
        let huge = try ToolRun("decode", "-", input: hugeBitmap)

        #expect(small.exitCode == 77)
        #expect(small.errors.hasPrefix("-: limitExceeded(maxPixels): "))
        #expect(huge.exitCode == 77)
        #expect(try ToolRun("decode", "--max-pixels", "4", "-", input: smallBitmap).exitCode == 0)
    }

    /// A deadline of one nanosecond has expired at the first poll.
    @Test(.requirement("X4")) func expiredDeadlineExitsWith77() throws {
        let late = try ToolRun("decode", "--deadline", "0.000000001", fixturePath("tiff/damage-lzw-strip.tif"))
        let early = try ToolRun("decode", "--deadline", "3600", fixturePath("tiff/damage-lzw-strip.tif"))

        #expect(late.exitCode == 77)
        #expect(late.errors.contains("limitExceeded(deadline): "))
        #expect(late.output.isEmpty)
        #expect(early.exitCode == 0)
        #expect(try ToolRun("decode", "--deadline", "0", "-", input: smallBitmap).exitCode == 64)
    }

    @Test func inputOverMaxInputBytesExitsWith77() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("sparse.png")

        let file = try ToolRun(shell: "truncate -s 10G '\(path)' && \"$TOOL\" decode '\(path)'")

        #expect(file.exitCode == 77)
        #expect(file.errors.contains(": limitExceeded(maxInputBytes): "))
    }

    @Test func damagedInputInStrictModeExitsWith65() throws {
        let run = try ToolRun("decode", "--strict", "-", input: cutBitmap)

        #expect(run.exitCode == 65)
        #expect(run.output.isEmpty)
    }

    @Test func frameIndexPastTheLastFrameExitsWith65() throws {
        let gif = fixturePath("gif/frames-40.gif")

        #expect(try ToolRun("decode", "--digest", "--frame", "39", gif).exitCode == 0)
        #expect(try ToolRun("decode", "--digest", "--frame", "40", gif).exitCode == 65)
        #expect(try ToolRun("decode", "--digest", "--frame", "1", "-", input: smallBitmap).exitCode == 65)
    }

    @Test func frameIndexOfMaxFramesOrMoreExitsWith77() throws {
        let gif = fixturePath("gif/frames-40.gif")

        #expect(try ToolRun("decode", "--digest", "--frame", "5", "--max-frames", "6", gif).exitCode == 0)
        #expect(try ToolRun("decode", "--digest", "--frame", "6", "--max-frames", "6", gif).exitCode == 77)
        #expect(try ToolRun("decode", "--digest", "--frame", "0", "--max-frames", "1", gif).exitCode == 0)
        #expect(try ToolRun("decode", "--digest", "--max-frames", "1", gif).exitCode == 0)
    }

    @Test func oneFailedFileOfSeveralExitsWith1() throws {
        let folder = try TemporaryFolder()
        let good = try folder.write(smallBitmap, to: "good.bmp")
        let bad = try folder.write(avif, to: "bad.avif")

        let run = try ToolRun("decode", "--digest", good, bad, good)

        #expect(run.exitCode == 1)
        #expect(run.text.split(separator: "\n").count == 2)
        #expect(run.errors.hasPrefix("\(bad): unsupported(avif): "))
        #expect(try ToolRun("decode", "--digest", good, good).exitCode == 0)
    }

    @Test(arguments: [
        ["decode"], ["decode", "--frame", "x", "-"], ["nonsense"], ["decode", "--max-pixels", "0", "-"],
        ["decode", "--output", "x", "a", "b"], ["info", "--json", "--ndjson", "a"],
    ])
    func invalidArgumentsExitWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(arguments).exitCode == 64)
    }

    @Test func closedOutputPipeExitsWith74WithoutAMessage() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(largeBitmap, to: "large.bmp")

        let run = try ToolRun(shell: "{ \"$TOOL\" decode '\(path)' '\(path)'; echo $? >&2; } | head -c 1")

        #expect(run.errors == "74\n")
    }

    @Test func outputToAFullDeviceExitsWith74() throws {
        let run = try ToolRun(shell: "\"$TOOL\" info '\(fixturePath("png/rgba8.png"))' > /dev/full")

        #expect(run.exitCode == 74)
        #expect(run.errors.hasPrefix("stdout: io: "))
    }
}
