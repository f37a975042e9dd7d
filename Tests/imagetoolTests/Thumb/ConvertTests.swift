import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// `imagetool convert`, and the format of `decode --output`.
@Suite struct ConvertTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let outputs: [(name: String, format: ImageFormat)] = [
        ("x.png", .png), ("x.APNG", .png), ("x.jpg", .jpeg), ("x.JPEG", .jpeg), ("x.jpe", .jpeg), ("x.jfif", .jpeg),
        ("x.gif", .gif), ("x.webp", .webp),
    ]

    @Test(arguments: ["decode", "convert"])
    func extensionOfTheOutputDecidesTheFormat(_ command: String) throws {
        let source = try folder.write(largeBitmap, to: "in.bmp")

        for (name, format) in Self.outputs where format.isBuiltIn {
            let run = try ToolRun(command, source, "-o", folder.path(name))
            #expect(run.exitCode == 0 && run.errors.isEmpty, "\(name) \(run.errors)")
            let header = try ImageDecoder().header(of: folder.read(name))
            #expect(header.format == format && header.width == 512 && header.height == 512, "\(name)")
        }
    }

    @Test(arguments: ["decode", "convert"])
    func extensionThatCannotBeWrittenExitsWith64(_ command: String) throws {
        let source = try folder.write(smallBitmap, to: "in.bmp")

        for name in ["x.bmp", "x.TIFF", "x.tif", "x.avif", "x.heic", "x.jxl", "x.ico", "x.svg", "x.pdf", "x.psd"] {
            let run = try ToolRun(command, source, "-o", folder.path(name))
            #expect(run.exitCode == 64 && run.errors.contains(name.dropFirst(2).lowercased()), "\(name) \(run.errors)")
        }
        #expect(try folder.names == ["in.bmp"])
    }

    @Test(arguments: ["x.pam", "x.ppm", "x.raw", "x.rgba", "x", "x.png.tmp", ".png"])
    func otherNamesReceiveAPAMFileAsBefore(_ name: String) throws {
        let run = try ToolRun("decode", "-", "-o", folder.path(name), input: smallBitmap)

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.read(name).starts(with: Array("P7\n".utf8)))
    }

    @Test func explicitFormatWinsOverTheExtension() throws {
        let cases: [(format: String, name: String, start: [UInt8])] = [
            ("pam", "x.png", Array("P7\n".utf8)), ("raw", "x.jpg", Array(smallBitmapPixels.prefix(8))),
            ("png", "x.tiff", [0x89]), ("jpeg", "x.png", [0xFF, 0xD8]), ("gif", "x", Array("GIF8".utf8)),
        ]
        for (format, name, start) in cases {
            let run = try ToolRun("decode", "-", "--format", format, "-o", folder.path(name), input: smallBitmap)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(try folder.read(name).starts(with: start), "\(format) \(name)")
        }
    }

    @Test func premultipliedPixelsInAnImageFileExitWith64() throws {
        let run = try ToolRun("decode", "-", "--premultiplied", "-o", folder.path("x.webp"), input: smallBitmap)

        #expect(run.exitCode == 64 && run.errors.contains("--premultiplied requires"), "\(run.errors)")
    }

    @Test(arguments: ["png/rgba8.png", "jpeg/cmyk-icc.jpg", "gif/transparent.gif"])
    func convertedImageHasThePixelsOfTheWholeImage(_ fixture: String) throws {
        let source = fixturePath(fixture)

        let run = try ToolRun("convert", source, "-o", folder.path("x.png"))
        let digests = try ToolRun("decode", "--digest", source, folder.path("x.png"))

        #expect(run.exitCode == 0, "\(run.errors)")
        let lines = digests.text.split(separator: "\n").map { $0.prefix(64) }
        #expect(lines.count == 2 && lines[0] == lines[1], "\(digests.text)")
    }

    @Test func convertHasTheWordsOfThumb() throws {
        let source = try folder.write(largeBitmap, to: "a.bmp")

        let run = try ToolRun(
            "convert", source, "-o", folder.path + "/{name}-{w}x{h}.{ext}", "--crop", "30x20+5+5", "--format", "jpeg",
            "--quality", "50", "--max-bytes", "10k", "--background", "white", "--metadata", "all", "--frame", "0",
            "--ndjson", "--no-rotate")
        let sized = try ToolRun("convert", source, "-o", folder.path + "/{name}-{size}.{ext}")

        #expect(run.exitCode == 0 && run.text.contains("\"result\":\"made\""), "\(run.errors)")
        #expect(try folder.names == ["a-30x20.jpg", "a.bmp"])
        #expect(sized.exitCode == 64 && sized.errors.contains("{size} requires --size"), "\(sized.errors)")
    }

    @Test func allFramesOfAnAnimationAreConverted() throws {
        let run = try ToolRun(
            "convert", fixturePath("gif/transparent.gif"), "--frame", "all", "-o", folder.path("x.png"))
        let thumb = try ToolRun(
            "thumb", fixturePath("gif/transparent.gif"), "--frame", "all", "-s", "5000", "-o", folder.path("y.png"))

        #expect(run.exitCode == 0 && thumb.exitCode == 0, "\(run.errors)\(thumb.errors)")
        #expect(try folder.read("x.png") == folder.read("y.png"))
    }
}
