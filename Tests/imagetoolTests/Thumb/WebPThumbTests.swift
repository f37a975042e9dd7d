#if WebP
import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// `thumb` with WebP output.
@Suite struct WebPThumbTests {
    private let folder: TemporaryFolder
    private let photograph = fixturePath("demo/city-lights-turned.jpg")

    init() throws { folder = try TemporaryFolder() }

    private func thumb(_ source: String, _ arguments: String...) throws -> ToolRun {
        try ToolRun(["thumb", source, "-s", "60"] + arguments)
    }

    private func bitmap() throws -> Bitmap {
        let bytes = try Fixture.file("demo/city-lights-turned.jpg")
        return try ImageDecoder().thumbnail(of: bytes, options: ThumbnailOptions(width: 60, height: 60)).bitmap
    }

    @Test func outputNameOrFormatOptionSelectsWebP() throws {
        let named = try thumb(photograph, "-o", folder.path("a.webp"))
        let chosen = try thumb(photograph, "-o", "\(folder.path)/{name}.{ext}", "--format", "webp")

        #expect(named.exitCode == 0 && chosen.exitCode == 0, "\(named.errors) \(chosen.errors)")
        #expect(try folder.names == ["a.webp", "city-lights-turned.webp"])
        let expected = try ImageEncoder().encode(bitmap(), as: .webp)
        #expect(try folder.read("a.webp") == expected)
        #expect(try folder.read("city-lights-turned.webp") == expected)
    }

    @Test func optionsOfTheCommandAreThoseOfTheEncoder() throws {
        let cases: [([String], (inout WebPOptions) -> Void)] = [
            (["--quality", "33"], { $0.quality = 33 }), (["--webp-effort", "fast"], { $0.effort = .fast }),
            (["--webp-effort", "small"], { $0.effort = .small }), (["--webp-lossless"], { $0.isLossless = true }),
        ]
        for (arguments, change) in cases {
            var encoder = ImageEncoder()
            change(&encoder.options.webp)

            let run = try ToolRun(["thumb", photograph, "-s", "60", "-o", "-", "--format", "webp"] + arguments)

            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(try run.output == encoder.encode(bitmap(), as: .webp), "\(arguments)")
        }
        #expect(try thumb(photograph, "-o", folder.path("a.webp"), "--webp-effort", "slow").exitCode == 64)
    }

    /// An input with a palette gives the smaller of both files, every other input the lossy one.
    @Test(arguments: [
        "demo/orbit.gif", "png/palette8-interlaced.png", "demo/city-lights-turned.jpg", "demo/ribbons.png",
    ])
    func webPOfAPaletteIsTheSmallerOfLosslessAndLossy(_ name: String) throws {
        let bytes = try Fixture.file(name)
        let options = ThumbnailOptions(width: 60, height: 60)
        let image = try ImageDecoder().thumbnail(of: bytes, options: options)
        var encoder = ImageEncoder()
        let lossy = try encoder.encode(image.bitmap, as: .webp)
        encoder.options.webp.isLossless = true
        let lossless = try encoder.encode(image.bitmap, as: .webp)

        let run = try ToolRun("thumb", fixturePath(name), "-s", "60", "-o", "-", "--format", "webp")

        #expect(run.exitCode == 0, "\(run.errors)")
        let isPalette = image.header.colorModel == .indexed
        #expect(run.output == (isPalette && lossless.count <= lossy.count ? lossless : lossy))
    }

    @Test func maxBytesLowersTheQuality() throws {
        let run = try thumb(photograph, "-o", folder.path("a.webp"), "--max-bytes", "700")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.read("a.webp").count <= 700)
    }

    @Test func allFramesOfAGIFBecomeAnAnimatedWebP() throws {
        let bytes = try Fixture.file("demo/orbit.gif")
        let source = try ImageDecoder().header(of: bytes)

        let run = try ToolRun(
            "thumb", fixturePath("demo/orbit.gif"), "-s", "30", "--frame", "all", "-o", folder.path("a.webp"))

        #expect(run.exitCode == 0, "\(run.errors)")
        let file = try folder.read("a.webp")
        let header = try ImageDecoder().header(of: file)
        #expect(header.format == .webp && header.width <= 30)
        #expect(try ImageDecoder().frameInfos(of: file).count > 1)
        #expect(header.loopCount == source.loopCount ?? 1)
        func duration(_ file: [UInt8]) throws -> Int {
            let delays = try ImageDecoder().frameInfos(of: file).map(\.delay)
            return delays.map { $0.numerator * 1000 / $0.denominator }.reduce(0, +)
        }
        #expect(try duration(file) == duration(bytes))
    }

    @Test func manifestOfOtherWebPOptionsDoesNotSkipTheInput() throws {
        for (arguments, count) in [([], 1), ([], 1), (["--webp-lossless"], 2), (["--webp-effort", "small"], 3)] {
            let run = try ToolRun(
                ["thumb", photograph, "-s", "20", "-o", folder.path("a.webp"), "--manifest", folder.path("m.ndjson")]
                    + arguments)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(try folder.read("m.ndjson").count { $0 == UInt8(ascii: "\n") } == count)
        }
    }
}
#endif
