import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ThumbTests {
    private struct Row: Decodable, Equatable {
        let input: String
        let result: String
        let output: String?
        let width: Int?
        let height: Int?
        let error: String?
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func rows(_ run: ToolRun) throws -> [Row] {
        try run.text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    private func size(_ path: String) throws -> [Int] {
        let header = try ImageDecoder().header(of: [UInt8](try Data(contentsOf: URL(filePath: path))))
        return [header.width, header.height]
    }

    @Test func thumbWritesThePixelsOfTheThumbnailFunction() throws {
        let source = fixturePath("demo/city-lights-turned.jpg")
        let path = folder.path("small.png")

        let run = try ToolRun("thumb", source, "-s", "60x40", "-o", path)

        #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty)
        let bytes = try Fixture.file("demo/city-lights-turned.jpg")
        let expected = try ImageDecoder().thumbnail(of: bytes, options: ThumbnailOptions(width: 60, height: 40)).bitmap
        let made = try ImageDecoder().decode(try folder.read("small.png"))
        #expect(made.header.format == .png)
        #expect(made.bitmap.digest == expected.digest)
        #expect(try folder.names == ["small.png"])
    }

    @Test(
        arguments: [
            (["-s", "20x20"], 20, 15), (["-s", "20x20^"], 20, 20), (["-s", "20x20!"], 20, 20), (["-s", "20x"], 20, 15),
            (["-s", "x15"], 20, 15), (["-s", "20"], 20, 15), (["-s", "20x20", "--fit", "cover"], 20, 20),
            (["-s", "20x20", "--pad"], 20, 20), (["-s", "20x20", "--crop", "30x60+10+0"], 10, 20),
            (["-s", "1000x1000>", "--enlarge"], 80, 60), (["-s", "100x100", "--enlarge"], 100, 75),
            (["-s", "1000x1000"], 80, 60),
        ] as [([String], Int, Int)])
    func sizeOptionsGiveAThumbnailOfTheRequestedSize(_ arguments: [String], _ width: Int, _ height: Int) throws {
        var bitmap = [UInt8](smallBitmap.prefix(54))
        bitmap.replaceSubrange(18..<26, with: [80, 0, 0, 0, 60, 0, 0, 0])
        bitmap += (0..<80 * 60 * 3).map { UInt8(truncatingIfNeeded: $0) }

        let run = try ToolRun(["thumb", "-", "-o", "-"] + arguments, input: bitmap)

        #expect(run.exitCode == 0, "\(run.errors)")
        let header = try ImageDecoder().header(of: run.output)
        #expect(header.width == width && header.height == height)
        #expect(header.format == .png)
    }

    @Test func outputFormatIsDeterminedByTheOptionElseTheExtensionElseTheSource() throws {
        let (jpeg, png) = (fixturePath("demo/mountains.jpg"), fixturePath("demo/logo.png"))
        let cases: [([String], String, ImageFormat)] = [
            ([jpeg], "a.png", .png), ([png], "a.jpeg", .jpeg), ([jpeg], "a.bin", .jpeg), ([png], "a.bin", .png),
            ([png, "--format", "jpeg"], "a.png", .jpeg),
        ]
        for (arguments, name, format) in cases {
            let run = try ToolRun(["thumb"] + arguments + ["-s", "8", "-o", folder.path(name)])
            #expect(run.exitCode == 0, "\(run.errors)")
            let header = try ImageDecoder().header(of: try folder.read(name))
            #expect(header.format == format, "\(arguments) \(name)")
        }
    }

    /// WebP sources become a format that every viewer displays, unless WebP is named.
    @Test(arguments: [
        ("opaque.webp", [], "a.bin", ImageFormat.jpeg, 1), ("alpha.webp", [], "a.bin", .png, 1),
        ("opaque.webp", ["--format", "auto"], "a.bin", .jpeg, 1), ("opaque.webp", [], "a.webp", .webp, 1),
        ("opaque.webp", ["--format", "webp"], "a.bin", .webp, 1),
        ("opaque.webp", ["--format", "auto"], "a.png", .png, 1),
        ("moving.webp", ["--format", "auto"], "a.bin", .jpeg, 1),
        ("moving.webp", ["--format", "auto", "--frame", "all"], "a.bin", .webp, 3),
        ("moving.webp", ["--frame", "all"], "a.bin", .png, 3),
        ("moving.gif", ["--format", "auto"], "a.bin", .png, 1),
        ("moving.gif", ["--format", "auto", "--frame", "all"], "a.bin", .gif, 3),
        ("moving.gif", ["--format", "webp", "--frame", "all"], "a.bin", .webp, 3),
        ("moving.png", ["--format", "auto", "--frame", "all"], "a.bin", .png, 3),
        ("opaque.webp", ["--format", "auto", "--frame", "all"], "a.bin", .jpeg, 1),
    ])
    func automaticFormatDependsOnTheSource(
        _ source: String, _ arguments: [String], _ name: String, _ format: ImageFormat, _ frames: Int
    ) throws {
        guard EncodedFormat.webp.isAvailable else { return }
        try folder.write(Self.source(source), to: source)

        let run = try ToolRun(["thumb", folder.path(source)] + arguments + ["-s", "8", "-o", folder.path(name)])

        #expect(run.exitCode == 0, "\(run.errors)")
        let header = try ImageDecoder().header(of: try folder.read(name))
        #expect(header.format == format && header.frameCount ?? 1 == frames)
    }

    private static func source(_ name: String) throws -> [UInt8] {
        let bitmaps = (0..<3).map { index in
            Bitmap(width: 16, height: 12) { pixels in
                for at in 0..<16 * 12 {
                    let alpha: UInt8 = name.hasPrefix("alpha") && at < 40 ? 0 : 255
                    RGBA8(red: UInt8(60 * index), green: UInt8(at), blue: 90, alpha: alpha).store(
                        in: &pixels, at: 4 * at)
                }
            }
        }
        let suffix = name.split(separator: ".").last.map(String.init)
        let format = try #require(suffix.flatMap { EncodedFormat(fileExtension: $0) })
        guard name.hasPrefix("moving") else { return try ImageEncoder().encode(bitmaps[0], as: format) }
        let frames = bitmaps.map { AnimationFrame($0, delay: FrameDelay(numerator: 1, denominator: 10)) }
        return try ImageEncoder().encodeAnimation(frames, as: format)
    }

    @Test func maxBytesLowersTheJPEGQualityAndExitsWith77WhenNoQualityFits() throws {
        let source = fixturePath("demo/mountains.jpg")
        let most = 3_000

        let free = try ToolRun("thumb", source, "-s", "128", "-o", "-", "--quality", "95")
        let fitted = try ToolRun("thumb", source, "-s", "128", "-o", "-", "--quality", "95", "--max-bytes", "\(most)")
        let hopeless = try ToolRun("thumb", source, "-s", "128", "-o", "-", "--max-bytes", "100")

        #expect(free.output.count > most)
        #expect(fitted.exitCode == 0 && fitted.output.count <= most && fitted.output.count > 0)
        #expect(hopeless.exitCode == 77 && hopeless.output.isEmpty)
        #expect(hopeless.errors.hasPrefix("\(source): overMaxBytes: "))
    }

    @Test func orientationIsAppliedUnlessNoRotateIsSet() throws {
        let source = fixturePath("jpeg/exif-orientation-6.jpg")

        try #require(try ToolRun("thumb", source, "-s", "12", "-o", folder.path("a.png")).exitCode == 0)
        try #require(try ToolRun("thumb", source, "-s", "12", "--no-rotate", "-o", folder.path("b.png")).exitCode == 0)

        #expect(try size(folder.path("a.png")) == [8, 12])
        #expect(try size(folder.path("b.png")) == [12, 8])
    }

    @Test func frameOptionSelectsOneOrAllFrames() throws {
        let source = fixturePath("demo/orbit.gif")
        let bytes = try Fixture.file("demo/orbit.gif")
        let frames = try ImageDecoder().frames(of: bytes)
        let count = try #require(frames.header.frameCount)
        _ = try frames.next()
        let second = try frames.next()
        let expected = try #require(second).bitmap.thumbnail(options: ThumbnailOptions(width: 30, height: 30))

        let one = try ToolRun("thumb", source, "-s", "30", "--frame", "1", "-o", folder.path("one.png"))
        let all = try ToolRun("thumb", source, "-s", "30", "--frame", "all", "-o", folder.path("all.png"))
        let none = try ToolRun("thumb", source, "-s", "30", "--frame", "\(count)", "-o", folder.path("none.png"))

        #expect(one.exitCode == 0 && all.exitCode == 0 && none.exitCode == 65, "\(all.errors)")
        let made = try ImageDecoder().decode(try folder.read("one.png")).bitmap
        #expect(made.digest == expected.digest)
        let animation = try ImageDecoder().header(of: try folder.read("all.png"))
        #expect(animation.frameCount == count && animation.width <= 30)
        #expect(try folder.names == ["all.png", "one.png"])
    }

    @Test func outputsOfSeveralInputsAreWrittenToTemplatePaths() throws {
        let below = folder.url.appending(path: "in/sub")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        try folder.write(try Fixture.file("demo/mountains.jpg"), to: "in/a.jpg")
        try folder.write(smallBitmap, to: "in/sub/b.bmp")
        try folder.write(Array("text".utf8), to: "in/readme.txt")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' &&
                "$TOOL" thumb -r in -s 24x24 -o 'out/{dir}/{name}-{w}x{h}.{ext}' -j 2 --ndjson
                """)

        #expect(run.exitCode == 0, "\(run.errors)")
        let rows = try rows(run)
        #expect(rows.map(\.input) == ["in/a.jpg", "in/sub/b.bmp"])
        let width = try #require(rows[0].width)
        let height = try #require(rows[0].height)
        #expect(rows.map(\.output) == ["out/in/a-\(width)x\(height).jpg", "out/in/sub/b-2x2.png"])
        #expect(try size(folder.path("out/in/a-\(width)x\(height).jpg")) == [width, height])
        #expect(max(width, height) == 24)
    }

    @Test func fileListsAndPatternsSelectInputs() throws {
        for name in ["one.bmp", "two.bmp", "new\nline.bmp"] { try folder.write(smallBitmap, to: name) }

        let lines = try ToolRun(
            shell: """
                cd '\(folder.path)' &&
                printf 'one.bmp\\ntwo.bmp\\n' | "$TOOL" thumb --files-from - -s 1 -o a/ --ndjson
                """)
        let zeros = try ToolRun(
            shell: """
                cd '\(folder.path)' &&
                printf 'new\\nline.bmp\\0one.bmp\\0' | "$TOOL" thumb --files-from - -0 -s 1 -o b/ --ndjson
                """)
        let pattern = try ToolRun(shell: "cd '\(folder.path)' && \"$TOOL\" thumb 't*.bmp' -s 1 -o c/ --ndjson")

        #expect(try rows(lines).map(\.output) == ["a/one.png", "a/two.png"])
        #expect(try rows(zeros).map(\.output) == ["b/new\nline.png", "b/one.png"])
        #expect(try rows(pattern).map(\.output) == ["c/two.png"])
    }

    @Test func invalidFilesAreReportedInInputOrderAndValidFilesAreRendered() throws {
        let names = ["1.bmp", "2.avif", "3.bmp", "4.png", "5.bmp"]
        for name in names where name != "4.png" {
            try folder.write(name.hasSuffix("avif") ? avif : smallBitmap, to: name)
        }
        let paths = names.map { folder.path($0) }

        let run = try ToolRun(["thumb", "-s", "1", "-o", folder.path("out/"), "--ndjson", "-j", "3"] + paths)

        #expect(run.exitCode == 1)
        let rows = try rows(run)
        #expect(rows.map(\.input) == paths)
        #expect(rows.map(\.result) == ["made", "failed", "made", "failed", "made"])
        #expect(rows[1].error?.hasPrefix("unsupported(avif): ") == true)
        let errors = run.errorLines
        #expect(errors.count == 2)
        #expect(errors[0].hasPrefix("\(paths[1]): unsupported(avif): "))
        #expect(errors[1].hasPrefix("\(paths[3]): noInput: "))
    }

    @Test(
        arguments: [
            (avif, [], 65, "unsupported(avif): "), ([], [], 65, "unknownFormat: "),
            (hugeBitmap, [], 77, "limitExceeded("),
            (smallBitmap, ["--crop", "1x1+5+5"], 65, "emptyCrop: "),
            (smallBitmap, ["--frame", "1"], 65, "noSuchFrame: "),
        ] as [([UInt8], [String], Int32, String)])
    func failureOfASingleInputExitsWithTheCodeOfItsError(
        _ input: [UInt8], _ arguments: [String], _ code: Int32, _ reason: String
    ) throws {
        let run = try ToolRun(["thumb", "-", "-s", "1", "-o", folder.path("a.png")] + arguments, input: input)

        #expect(run.exitCode == code)
        #expect(run.errors.hasPrefix("-: " + reason), "\(run.errors)")
        #expect(try folder.names.isEmpty)
    }

    @Test func missingInputExitsWith66AndUnwritableOutputWith74() throws {
        let good = try folder.write(smallBitmap, to: "good.bmp")

        #expect(try ToolRun("thumb", folder.path("missing"), "-s", "1", "-o", "-").exitCode == 66)
        #expect(try ToolRun("thumb", good, "-s", "1", "-o", "/dev/full").exitCode == 74)
        #expect(try ToolRun("thumb", good, "-s", "1", "-o", "/dev/null/a.png").exitCode == 74)
    }

    @Test(arguments: [
        ["-"], ["-", "-s", "0x5", "-o", "-"], ["-", "-s", "x", "-o", "-"], ["-", "-s", "5x5x5", "-o", "-"],
        ["-s", "5", "-o", "-"], ["-", "-s", "5", "-o", "{what}"], ["-", "-s", "5", "-o", "{name"],
        ["a", "b", "-s", "5", "-o", "c.png"], ["a", "b", "-s", "5", "-o", "-"],
        ["-", "-s", "5^", "--fit", "fill", "-o", "-"],
        ["-", "-s", "5", "-o", "-", "--gravity", "up"], ["-", "-s", "5", "-o", "-", "--gravity", "1.5,0"],
        ["-", "-s", "5", "-o", "-", "--crop", "5"], ["-", "-s", "5", "-o", "-", "--background", "#12345"],
        ["-", "-s", "5", "-o", "-", "--quality", "0"], ["-", "-s", "5", "-o", "-", "--max-bytes", "0"],
        ["-", "-s", "5", "-o", "-", "--frame", "x"], ["-", "-s", "5", "-o", "-", "-0"],
        ["-", "-s", "5", "-o", "-", "--ndjson"], ["-", "--files-from", "-", "-s", "5", "-o", "a/"],
        ["-", "-s", "5", "-o", "a.jpg", "--frame", "all"], ["-", "-s", "5", "-o", "-", "--format", "bmp"],
    ])
    func invalidThumbArgumentsExitWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(["thumb"] + arguments).exitCode == 64)
    }

    @Test func outputPathEqualToAnInputPathOrAnotherOutputPathIsRejected() throws {
        let first = try folder.write(smallBitmap, to: "a.bmp")
        let second = try folder.write(largeBitmap, to: "a.dib")

        let onto = try ToolRun("thumb", first, "-s", "1", "-o", first)
        let twice = try ToolRun("thumb", first, second, "-s", "1", "-o", "\(folder.path)/{name}.png")

        #expect(onto.exitCode == 64)
        #expect(try folder.read("a.bmp") == smallBitmap)
        #expect(twice.exitCode == 1)
        #expect(twice.errors.hasPrefix("\(second): sameOutput: "))
    }

    /// The second input is not an image: the output path is checked before the input is read.
    @Test(arguments: ["{name}.png", "{dir}/{name}-x.jpg", "./{name}.{ext}"])
    func collidingOutputPathsAreReportedBeforeTheSecondInputIsRead(template: String) throws {
        try folder.write(largeBitmap, to: "a.bmp")
        try folder.write([1, 2, 3], to: "a.dib")
        try folder.write(largeBitmap, to: "b.bmp")
        let format = template.hasSuffix("{ext}") ? "--format png" : ""

        let run = try ToolRun(
            shell: "cd '\(folder.path)' && \"$TOOL\" thumb a.bmp a.dib b.bmp -s 8 \(format) -o '\(template)'")

        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("a.dib: sameOutput: "), "\(run.errors)")
        #expect(run.errors.contains(" a.bmp"), "\(run.errors)")
        #expect(try folder.names.count == 5)
    }

    @Test func existingOutputIsSkippedWithTheSkipExistingOption() throws {
        let source = try folder.write(largeBitmap, to: "a.bmp")
        let other = try folder.write(largeBitmap, to: "b.bmp")
        try folder.write([1, 2, 3], to: "a-8x8.png")

        for template in ["{name}-{w}x{h}.{ext}", "{name}-8x8.png"] {
            let run = try ToolRun(
                "thumb", source, other, "-s", "8", "-o", "\(folder.path)/\(template)", "--skip-existing", "--ndjson")
            #expect(run.exitCode == 0)
            #expect(try rows(run).first?.result == "skipped")
            #expect(try folder.read("a-8x8.png") == [1, 2, 3])
        }
        #expect(try size(folder.path("b-8x8.png")) == [8, 8])
    }

    @Test func runWithAManifestSkipsTheOutputsOfAnInterruptedRun() throws {
        let paths = try ["a", "b", "c", "d"].map { try folder.write(largeBitmap, to: "\($0).bmp") }
        let manifest = folder.path("done.ndjson")
        func run(_ inputs: [String], size: String = "8") throws -> [String] {
            let run = try ToolRun(
                ["thumb", "-s", size, "-o", folder.path("out/"), "--manifest", manifest, "--ndjson"] + inputs)
            #expect(run.exitCode == 0, "\(run.errors)")
            return try rows(run).map(\.result)
        }

        #expect(try run([paths[0], paths[1]]) == ["made", "made"])
        #expect(try run(paths) == ["skipped", "skipped", "made", "made"])
        // An output whose manifest line is truncated is rendered again; an output with a complete line is skipped.
        let noted = try folder.read("done.ndjson")
        try folder.write([UInt8](noted.dropLast(20)), to: "done.ndjson")
        #expect(try run(paths) == ["skipped", "skipped", "skipped", "made"])
        #expect(try run(paths) == ["skipped", "skipped", "skipped", "skipped"])
        // A file is rendered again if its input has changed, if its output is missing, or if the options differ.
        try folder.write(smallBitmap, to: "a.bmp")
        try FileManager.default.removeItem(atPath: folder.path("out/b.png"))
        #expect(try run(paths) == ["made", "made", "skipped", "skipped"])
        #expect(try run(paths, size: "9") == ["made", "made", "made", "made"])
        #expect(try size(folder.path("out/d.png")) == [9, 9])
    }

    @Test func truncatedImageIsRenderedWithAWarning() throws {
        let run = try ToolRun("thumb", "-", "-s", "2", "-o", folder.path("a.png"), input: cutBitmap)

        #expect(run.exitCode == 0)
        #expect(run.errors.hasPrefix("-: truncated(rows "))
        #expect(try size(folder.path("a.png")) == [2, 2])
    }

    @Test(arguments: [1, 3])
    func sigintExitsWith130WithoutPartialOutput(_ count: Int) throws {
        // The shell opens the first FIFO, which waits until the tool opens it too. Then the tool waits for bytes that
        // never arrive. The tool has a thread for each FIFO, because the order in which it opens them is not defined.
        let fifos = (0..<count).map { folder.path("in\($0).png") }
        let inputs = fifos.map { "'\($0)'" }.joined(separator: " ")
        let run = try ToolRun(
            shell: """
                mkfifo \(inputs)
                "$TOOL" thumb \(inputs) -s 5 -o '\(folder.path("out/"))' -j \(count) &
                exec 9>'\(fifos[0])'
                kill -INT $!
                wait $!
                """)

        #expect(run.exitCode == 130, "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }
}
