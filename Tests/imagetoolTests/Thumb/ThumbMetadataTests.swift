import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ThumbMetadataTests {
    private static let iptc = [0x1C, 2, 116, 0, 3] + Array("Ada".utf8)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a JPEG with a wide-gamut profile and a copyright notice, and returns its path and its profile.
    private func source() throws -> (path: String, profile: [UInt8]) {
        let bytes = try Fixture.file("jpeg/icc-p3.jpg")
        let (decoder, profile) = try ImageDecoder().keepingProfile(of: bytes)
        var encoder = ImageEncoder()
        encoder.options.iccProfile = profile
        encoder.options.metadata = ImageMetadata(iptc: Self.iptc)
        encoder.options.metadataPolicy = .all
        let file = try encoder.encode(decoder.decode(bytes).bitmap, as: .jpeg)
        try Data(file).write(to: URL(filePath: folder.path("source.jpg")))
        return (folder.path("source.jpg"), try #require(profile))
    }

    @Test(
        arguments: [
            ([], false, false), (["--metadata", "strip"], false, false), (["--metadata", "copyright"], true, true),
            (["--metadata", "no-location"], true, true), (["--metadata", "all"], true, true),
            (["--metadata", "all", "--profile", "srgb"], true, false), (["--profile", "srgb"], false, false),
            (["--profile", "keep"], false, true), (["--profile", "keep", "--embedded"], false, true),
            (["--metadata", "all", "--frame", "all", "--format", "png"], true, true),
        ] as [([String], Bool, Bool)])
    func optionsSelectMetadataAndProfile(options: [String], hasMetadata: Bool, hasProfile: Bool) throws {
        let (path, profile) = try source()
        for name in ["small.png", "small.jpg"] where !options.contains("--format") || name == "small.png" {
            let run = try ToolRun(["thumb", path, "-s", "20", "-o", folder.path(name)] + options)

            #expect(run.exitCode == 0, "\(run.errors)")
            let file = try folder.read(name)
            #expect(try ImageDecoder().metadata(of: file).iptc == (hasMetadata ? Self.iptc : nil))
            #expect(try ImageDecoder().iccProfile(of: file) == (hasProfile ? profile : nil))
        }
    }

    @Test(arguments: [["--metadata", "gps"], ["--profile", "p3"]])
    func unknownChoiceIsAUsageError(options: [String]) throws {
        let run = try ToolRun(
            ["thumb", fixturePath("jpeg/icc-p3.jpg"), "-s", "20", "-o", folder.path("a.png")] + options)

        #expect(run.exitCode == 64)
    }
}
