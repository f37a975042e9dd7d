import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import imagetool_bench

@Suite struct DemoTests {
    @Test func demoRoundsAreServedFromNetworkThenMemoryThenDiskThenByRevalidation() throws {
        let folder = try TemporaryFolder()
        let sheet = folder.path("sheet.png")

        let run = try ToolRun(bench: "demo", fixturePath("demo"), "--addresses", "30", "--sheet", sheet)

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        let lines = run.text.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        func row(_ name: String) -> [String]? { lines.last { $0.first == name && $0.count == 11 } }
        #expect(row("network")?[1...7] == ["30", "30", "0", "0", "0", "0", "30"])
        #expect(row("memory")?[1...8] == ["30", "0", "30", "0", "0", "0", "0", "0"])
        #expect(row("disk")?[1...8] == ["30", "0", "0", "30", "0", "0", "0", "0"])
        #expect(row("304")?[1...8] == ["30", "0", "0", "0", "30", "0", "30", "0"])
        #expect(run.text.contains("30 URLs of 15 images"))
        #expect(run.text.contains("contact sheet of 7 x 5 images: \(sheet)\n"))
        #expect(run.text.contains("network  30 of 30\n"))
        let facts = try ToolRun("info", sheet, "--ndjson").text
        #expect(facts.contains("\"format\":\"png\"") && facts.contains("\"width\":336,\"height\":240"))
        guard EncodedFormat.webp.isAvailable else { return }
        let thumbnails = Dictionary(grouping: lines) { $0.first }
        #expect(thumbnails["opaque"]?.first?.count == 9 && thumbnails["transparent"]?.first?.count == 9)
        #expect(thumbnails["animated"]?.first?[1] == "3")
        let small = try folder.read("sheet-webp/orbit.gif.webp")
        let header = try ImageDecoder().header(of: small)
        #expect(header.format == .webp && max(header.width, header.height) <= 240)
        #expect(try header.frameCount ?? 1 > 1 && header.frameCount == Self.frameCount("demo/orbit.gif"))
    }

    private static func frameCount(_ path: String) throws -> Int? {
        try ImageDecoder().header(of: Fixture.file(path)).frameCount
    }

    @Test func comparisonOfThumbnailsDetectsChangedPixelsAndDelays() throws {
        guard EncodedFormat.webp.isAvailable else { return }
        func frame(_ level: UInt8, _ milliseconds: Int) -> AnimationFrame {
            let bitmap = Bitmap(width: 8, height: 8) { pixels in
                for at in 0..<pixels.count { pixels[at] = at % 4 == 3 ? 255 : at / 4 == 9 ? level : 7 }
            }
            return AnimationFrame(bitmap, delay: FrameDelay(numerator: milliseconds, denominator: 1_000))
        }
        var encoder = ImageEncoder()
        encoder.options.webp.isLossless = true
        let frames = [frame(1, 50), frame(2, 40), frame(2, 30), frame(3, 20)]
        let file = try encoder.encodeAnimation(frames, as: .webp)

        let same = try DemoThumbnails.compare(file, with: frames)
        let changed = try DemoThumbnails.compare(file, with: [frames[0], frame(9, 40)] + Array(frames[2...]))
        let longer = try DemoThumbnails.compare(file, with: Array(frames[..<3]) + [frame(3, 90)])

        #expect(same.isComplete && same.difference == 0)
        #expect(changed.isComplete && changed.difference > 0)
        #expect(!longer.isComplete && longer.difference == 0)
    }

    @Test func demoWithAnUnexpectedOriginRequestCountExitsWith1() throws {
        // The file size limit of 16 blocks prevents storing the larger images, so the round `disk` requests them again.
        let run = try ToolRun(
            shell: "ulimit -f 16; \"$BENCH\" demo '\(fixturePath("demo"))' --addresses 26 --sheet /dev/null")

        #expect(run.exitCode == 1)
        #expect(run.errors.contains("demo: round disk: "))
        #expect(run.errors.contains("requests at the origin, expected 0\n"))
    }

    @Test func demoWithAFolderWithoutImagesExitsWith66() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("no picture".utf8), to: "a.png")

        #expect(try ToolRun(bench: "demo", folder.path).exitCode == 66)
        #expect(try ToolRun(bench: "demo", folder.path("missing")).exitCode == 66)
        #expect(try ToolRun(bench: "demo", folder.path, "--urls", "0").exitCode == 64)
    }

    @Test func pixelComparisonDetectsEveryChangedByte() {
        func flat(_ width: Int, _ height: Int) -> Bitmap {
            Bitmap(width: width, height: height) { pixels in for at in 0..<pixels.count { pixels[at] = 7 } }
        }
        let one = flat(3, 2)
        var bytes = one.copyBytes()
        #expect(one.hasSamePixels(as: flat(3, 2)))
        #expect(!one.hasSamePixels(as: flat(2, 3)))
        for at in bytes.indices {
            bytes[at] ^= 1
            let other = Bitmap(width: 3, height: 2) { pixels in
                for at in bytes.indices { pixels[at] = bytes[at] }
            }
            #expect(!one.hasSamePixels(as: other), "byte \(at)")
            bytes[at] ^= 1
        }
    }
}
