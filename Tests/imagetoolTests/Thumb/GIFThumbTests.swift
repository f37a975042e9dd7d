import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// `thumb` with GIF output.
@Suite struct GIFThumbTests {
    private let folder: TemporaryFolder
    private let animation = fixturePath("demo/orbit.gif")

    init() throws { folder = try TemporaryFolder() }

    @Test func outputNameOrFormatOptionSelectsGIF() throws {
        let photograph = fixturePath("demo/city-lights-turned.jpg")
        let named = try ToolRun("thumb", photograph, "-s", "60", "-o", folder.path("a.gif"))
        let template = folder.path + "/{name}.{ext}"
        let chosen = try ToolRun("thumb", photograph, "-s", "60", "-o", template, "--format", "gif")

        #expect(named.exitCode == 0 && chosen.exitCode == 0, "\(named.errors) \(chosen.errors)")
        let options = ThumbnailOptions(width: 60, height: 60)
        let bitmap = try ImageDecoder().thumbnail(of: Fixture.file("demo/city-lights-turned.jpg"), options: options)
            .bitmap
        let expected = try ImageEncoder().encode(bitmap, as: .gif)
        #expect(try folder.read("a.gif") == expected)
        #expect(try folder.read("city-lights-turned.gif") == expected)
    }

    @Test func allFramesOfAGIFRemainAnAnimatedGIF() throws {
        let bytes = try Fixture.file("demo/orbit.gif")
        let source = try ImageDecoder().header(of: bytes)

        let run = try ToolRun("thumb", animation, "-s", "30", "--frame", "all", "-o", folder.path("a.gif"))

        #expect(run.exitCode == 0, "\(run.errors)")
        let file = try folder.read("a.gif")
        let header = try ImageDecoder().header(of: file)
        #expect(header.format == .gif && header.width <= 30)
        #expect(header.frameCount == source.frameCount && header.loopCount == source.loopCount)
        #expect(
            try ImageDecoder().frameInfos(of: file).map(\.delay) == ImageDecoder().frameInfos(of: bytes).map(\.delay))
    }

    @Test func maxBytesLowersTheNumberOfColors() throws {
        let run = try ToolRun(
            "thumb", animation, "-s", "60", "--frame", "all", "-o", folder.path("a.gif"), "--max-bytes", "8000")

        #expect(run.exitCode == 0, "\(run.errors)")
        let file = try folder.read("a.gif")
        #expect(file.count <= 8000)
        #expect(file[10] & 7 < 7)  // a global palette of fewer than 256 colours
    }

    @Test func firstFrameOfAnAnimationIsAStillGIF() throws {
        let run = try ToolRun("thumb", animation, "-s", "20", "-o", folder.path("a.gif"))

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try ImageDecoder().header(of: folder.read("a.gif")).frameCount == 1)
    }
}
