import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ThumbBatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func outputPathThatIsAnInputPathIsRejected() throws {
        let gif = try folder.write(largeBitmap, to: "a.dib")
        let png = try folder.write(smallBitmap, to: "a.png")

        let run = try ToolRun("thumb", gif, png, "-s", "1", "-o", "{dir}/{name}.png")
        let sheet = try ToolRun("contact-sheet", gif, png, "-o", png)

        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("\(gif): sameOutput: "))
        #expect(sheet.exitCode == 64 && sheet.errors.hasPrefix("\(png): sameOutput: "), "\(sheet.errors)")
        #expect(try folder.read("a.png") == smallBitmap)
        #expect(try folder.names == ["a.dib", "a.png"])
    }

    @Test func manifestThatIsNotARegularFileOrIsAnInputExitsWith74() throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")
        let output = folder.path("out/")

        for path in ["/dev/full", "/dev/zero", source] {
            let run = try ToolRun("thumb", source, "-s", "1", "-o", output, "--manifest", path)
            #expect(run.exitCode == 74 && run.errors.hasPrefix("\(path): io: "), "\(path) \(run.errors)")
        }
        let pipe = try ToolRun(
            shell: "cd '\(folder.path)' && mkfifo p && \"$TOOL\" thumb a.bmp -s 1 -o out/ --manifest p")
        #expect(pipe.exitCode == 74 && pipe.errors.hasPrefix("p: io: "), "\(pipe.errors)")
        #expect(try folder.read("a.bmp") == smallBitmap)
        #expect(try folder.names == ["a.bmp", "p"])
    }

    @Test func inputInTheManifestIsRenderedAgainForAnotherOutputPath() throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")
        for name in ["one.png", "two.png"] {
            let run = try ToolRun(
                "thumb", source, "-s", "1", "-o", folder.path(name), "--manifest", folder.path("done"))
            #expect(run.exitCode == 0, "\(run.errors)")
        }
        #expect(try folder.names == ["a.bmp", "done", "one.png", "two.png"])
    }

    @Test(arguments: [["--manifest", "done"], ["--skip-existing"]])
    func skippedOutputIsNotOverwrittenByTheOutputOfAnotherInput(_ options: [String]) throws {
        try folder.write(smallBitmap, to: "a.bmp")
        try folder.write(largeBitmap, to: "a.dib")
        func run(_ inputs: String) throws -> ToolRun {
            let options = options.joined(separator: " ")
            return try ToolRun(
                shell: "cd '\(folder.path)' && \"$TOOL\" thumb \(inputs) -s 2 -o '{name}.png' \(options)")
        }

        #expect(try run("a.bmp").exitCode == 0)
        let made = try folder.read("a.png")
        let both = try run("a.bmp a.dib")

        #expect(both.exitCode == 1)
        #expect(both.errors.hasPrefix("a.dib: sameOutput: "), "\(both.errors)")
        #expect(try folder.read("a.png") == made)
    }

    /// An image whose 200-pixel thumbnail exceeds the capacity of a pipe, so that writing to a pipe waits for a reader.
    private static let noise: [UInt8] = {
        var bytes = [UInt8](smallBitmap.prefix(54))
        bytes.replaceSubrange(18..<26, with: [200, 0, 0, 0, 200, 0, 0, 0])
        var generator = SplitMix(seed: 6)
        return bytes + (0..<200 * 200 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }()

    /// Each input is a FIFO that the shell fills after the previous one is read; any other order would deadlock.
    @Test func thumbWithOneThreadReadsInputsInOrder() throws {
        try folder.write(smallBitmap, to: "whole")
        let inputs = (0..<8).map { "\($0).bmp" }.joined(separator: " ")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkfifo \(inputs) && { "$TOOL" thumb \(inputs) -s 1 -o '{name}.png' -j 1 &
                for input in \(inputs); do cat whole >$input; done; wait $!; }
                """)

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.names.filter { $0.hasSuffix(".png") } == (0..<8).map { "\($0).png" })
    }

    /// The output is a FIFO: once it is open for reading, the input has been read and the output is incomplete.
    @Test func nextRunRendersAnInputThatChangedBeforeItsManifestLineWasWritten() throws {
        try folder.write(Self.noise, to: "a.bmp")
        try folder.write(smallBitmap, to: "b.bmp")
        let thumb = "\"$TOOL\" thumb a.bmp -s 200 -o a.png --manifest done --ndjson"

        let changed = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkfifo a.png \
                && { \(thumb) & exec 8<a.png; mv b.bmp a.bmp; cat <&8 >one; wait $!; }
                """)
        let again = try ToolRun(shell: "cd '\(folder.path)' && rm a.png && printf x >a.png && \(thumb)")

        #expect(changed.exitCode == 0 && changed.text.contains("\"made\""), "\(changed.errors)")
        #expect(again.exitCode == 0 && again.text.contains("\"made\""), "\(again.errors)")
        #expect(try ImageDecoder().header(of: folder.read("one")).width == 200)
        #expect(try ImageDecoder().header(of: folder.read("a.png")).width == 2)
    }

    /// The second input is a FIFO without a writer, so only the signal ends the run.
    @Test func sigintCompletesTheCurrentFileAndItsManifestLine() throws {
        try folder.write(Self.noise, to: "a.bmp")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkfifo a.png b.bmp &&
                { "$TOOL" thumb a.bmp b.bmp -s 200 -o '{name}.png' --manifest done -j 1 &
                exec 8<a.png; kill -INT $!; cat <&8 >got; wait $!; }
                """)

        #expect(run.exitCode == 130, "\(run.errors)")
        let made = try ImageDecoder(options: .strict).decode(folder.read("got"))
        #expect(made.bitmap.width == 200 && made.status == .complete)
        let lines = String(decoding: try folder.read("done"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("\"a.bmp\""), "\(lines)")
    }

    @Test func overlongOutputNameFailsOnlyItsInput() throws {
        let long = String(repeating: "n", count: 248)
        let longest = String(repeating: "n", count: 251)
        let inputs = try [long, longest, "c"].map { try folder.write(smallBitmap, to: $0 + ".bmp") }

        let run = try ToolRun(["thumb", "-s", "1", "-o", "\(folder.path)/out/{name}-1.png"] + inputs)

        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("\(inputs[1]): io: "), "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
        #expect(names == ["c-1.png", long + "-1.png"])
    }

    @Test func imageNamesThatAreNotUTF8AreProcessedForAFolderInput() throws {
        let source = try folder.write(smallBitmap, to: "source")
        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkdir in empty && printf x > "$(printf 'in/b\\377.png')" &&
                mkdir "$(printf 'in/c\\377')" && cp '\(source)' "$(printf 'in/c\\377/d.bmp')" &&
                printf x > "$(printf 'in/d\\377.txt')" && "$TOOL" thumb -r in -s 1 -o out/ -j 1
                """)
        let empty = try ToolRun("thumb", "-r", folder.path("empty"), "-s", "1", "-o", folder.path("out/"))

        #expect(run.exitCode == 1)
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errorLines.first?.hasPrefix("in/b\\xFF.png: unknownFormat: ") == true, "\(run.errors)")
        #expect(try ImageDecoder().header(of: folder.read("out/d.png")).width == 1)
        #expect(empty.exitCode == 64 && empty.errors.contains("contain no image"))
    }

    @Test func danglingSymbolicLinkWithAnImageNameIsReported() throws {
        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkdir in && ln -s gone in/a.png && ln -s gone in/b.txt && ln -s c.png in/c.png &&
                "$TOOL" thumb -r in -s 1 -o out/ -j 1
                """)

        #expect(run.exitCode == 1)
        let lines = run.errorLines
        #expect(lines.count == 2, "\(run.errors)")
        #expect(lines.first?.hasPrefix("in/a.png: noInput: ") == true)
        #expect(lines.last?.hasPrefix("in/c.png: noInput: ") == true)
    }

    @Test(arguments: [
        ("mkdir y", "y/x.bmp", "y/./x.dib"), ("ln -s . y", "./x.bmp", "y/x.dib"),
        ("mkdir y && ln -s ../x.png y/x.png && printf x > x.png", "x.bmp", "y/x.dib"),
    ])
    func differentPathsToTheSameOutputFileAreRejected(_ setUp: String, _ first: String, _ second: String) throws {
        let bitmap = try folder.write(smallBitmap, to: "bitmap")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && \(setUp) && cp '\(bitmap)' \(first) && cp '\(bitmap)' \(second) &&
                "$TOOL" thumb \(first) \(second) -s 1 -o '{dir}/{name}.png'
                """)

        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("\(second): sameOutput: "), "\(run.errors)")
        #expect(run.errorLines.count == 1)
    }

    @Test func fileListEntriesAreNotExpandedAsPatterns() throws {
        try folder.write(smallBitmap, to: "a.png")
        try folder.write(smallBitmap, to: "*.png")

        let star = try ToolRun(
            shell: "cd '\(folder.path)' && printf '*.png\\n' | \"$TOOL\" thumb --files-from - -s 1 -o out/")
        let none = try ToolRun(
            shell: "cd '\(folder.path)' && printf '?.png\\n-\\n' > l && \"$TOOL\" thumb --files-from l -s 1 -o out/")

        #expect(star.exitCode == 0, "\(star.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == ["*.png"])
        #expect(none.exitCode == 1)
        #expect(none.errorLines.map { $0.prefix(12) } == ["?.png: noInp", "./-: noInput"])
    }

    @Test func expandedTemplatePathOutsideTheOutputFolderExitsWith64() throws {
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: folder.url.appending(path: "w"), withIntermediateDirectories: true)
        try folder.write(smallBitmap, to: "in/x.bmp")

        let run = try ToolRun(
            shell: "cd '\(folder.path)/w' && \"$TOOL\" thumb ../in/x.bmp -s 1 -o 'out/{dir}/{name}.png'")
        let beside = try ToolRun(
            shell: "cd '\(folder.path)/w' && \"$TOOL\" thumb ../in/x.bmp -s 1 -o '{dir}/{name}-1.png'")

        #expect(run.exitCode == 64 && run.errors.hasPrefix("../in/x.bmp: outsideOutput: "), "\(run.errors)")
        #expect(beside.exitCode == 0, "\(beside.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("in")).sorted()
        #expect(names == ["x-1.png", "x.bmp"])
    }

    @Test func unsupportedOutputExtensionExitsWith64() throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")

        for name in ["y.avif", "y.heic", "{name}.TIFF"] {
            #expect(try ToolRun("thumb", source, "-s", "1", "-o", "\(folder.path)/\(name)").exitCode == 64, "\(name)")
        }
        for name in ["cs.jpg", "cs.gif", "cs.webp"] {
            #expect(try ToolRun("contact-sheet", source, "-o", folder.path(name)).exitCode == 64, "\(name)")
        }
        #expect(try folder.names == ["a.bmp"])
    }

    @Test func existingOutputFolderWithBracesInItsNameIsNotATemplate() throws {
        let source = try folder.write(smallBitmap, to: "a.bmp")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "b{r}"), withIntermediateDirectories: true)

        let run = try ToolRun("thumb", source, "-s", "1", "-o", "\(folder.path)/b{r}")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.names == ["a.bmp", "b{r}"])
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/b{r}/a.png"))
    }
}
