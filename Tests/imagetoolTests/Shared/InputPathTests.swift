import PlatformImage
import PlatformImageToolSupport
import Testing

/// Names of images in folders: one list, which the formats declare.
@Suite struct InputPathTests {
    private static let extensions = ImageFormat.allCases.filter(\.isBuiltIn).flatMap(\.fileExtensions)

    @Test func everyExtensionOfEveryBuiltInFormatIsTheNameOfAnImage() {
        for format in ImageFormat.allCases {
            for text in format.fileExtensions {
                for name in ["a.\(text)", "b/a.x.\(text.uppercased())"] {
                    #expect(InputPaths.isImageName(name), "\(name)")
                    #expect(InputPaths.isDecodableName(name) == format.isBuiltIn, "\(name)")
                    #expect(ImageFormat(ofFileNamed: name) == format, "\(name)")
                }
            }
        }
        for name in ["png", ".png", "a.txt", "a.png/b", "a.", "a.png.gz"] {
            #expect(!InputPaths.isImageName(name), "\(name)")
        }
        #expect(InputPaths.isImageName("a.HEIC") && !InputPaths.isDecodableName("a.heic"))
    }

    @Test func usualExtensionOfAnEncodedFormatIsTheFirstOfItsFormat() {
        for format in EncodedFormat.allCases {
            #expect(ImageFormat(rawValue: format.rawValue)?.fileExtensions.first == format.fileExtension)
            #expect(EncodedFormat(fileExtension: format.fileExtension) == format)
        }
        #expect(EncodedFormat(fileExtension: "bmp") == nil)
    }

    @Test func folderWithOneFileOfEveryExtensionIsProcessedCompletely() throws {
        let folder = try TemporaryFolder()
        let names = Self.extensions.map { "\($0)-file.\($0)" }.sorted()
        for name in names { try folder.write(smallBitmap, to: name) }
        try folder.write(Array((names.map { folder.path($0) }.joined(separator: "\n") + "\n").utf8), to: "list")
        let results = try TemporaryFolder()

        let recursive = try ToolRun("thumb", "-r", folder.path, "-s", "1", "-o", results.path + "/a/{name}.png")
        let listed = try ToolRun(
            "thumb", "--files-from", folder.path("list"), "-s", "1", "-o", results.path + "/b/{name}.png")
        let sheet = try ToolRun("contact-sheet", "-r", folder.path, "-s", "8", "--columns", "1", "-o", "-")
        let facts = try ToolRun("info", "-r", folder.path, "--ndjson")

        #expect(names.count >= 11)
        #expect(recursive.exitCode == 0 && listed.exitCode == 0, "\(recursive.errors)\(listed.errors)")
        let count = "\(names.count) written"
        #expect(recursive.errors.hasPrefix("imagetool: \(count), 1 skipped (not an image by its name: 1), 0 failed"))
        #expect(listed.errors.hasPrefix("imagetool: \(count), 0 skipped, 0 failed"), "\(listed.errors)")
        #expect(try ImageDecoder().header(of: sheet.output).height == names.count * 12)
        #expect(sheet.errors.contains("skipped 1 entries"), "\(sheet.errors)")
        #expect(facts.text.split(separator: "\n").count == names.count)
    }

    @Test func unsupportedImageInAFolderIsReportedAndCounted() throws {
        let folder = try TemporaryFolder()
        try folder.write(smallBitmap, to: "a.bmp")
        try folder.write(avif, to: "b.avif")
        try folder.write([1], to: "c.txt")

        let run = try ToolRun("thumb", "-r", folder.path, "-s", "1", "-o", folder.path("out"))

        #expect(run.exitCode == 1)
        #expect(run.errors.contains("b.avif: unsupported(avif): "))
        #expect(
            run.errors.hasSuffix(
                "imagetool: 1 written, 1 skipped (not an image by its name: 1), 1 failed (unsupported: 1)\n"),
            "\(run.errors)")
    }
}
