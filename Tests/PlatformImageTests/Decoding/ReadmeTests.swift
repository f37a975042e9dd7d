import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compiles and runs the example of the README; the second test expects the same text in the README.
@Suite struct ReadmeTests {
    @Test func readmeExampleDecodesAnImage() async throws {
        let fixture = try #require(Fixture.all.first { $0.path.hasPrefix("demo/") && $0.format == "jpeg" })
        let bytes = try fixture.load()

        // README: begin
        let queue = DecodeQueue()
        var decoder = ImageDecoder()
        decoder.options.limits = .thumbnailService
        let image = try await queue.decode(bytes, with: decoder)
        let bitmap: PlatformImage = image.bitmap
        print(image.header.format, bitmap.width, bitmap.height, image.status)
        print("top left:", bitmap[0, 0], "in", bitmap.byteCount, "bytes")
        // README: end

        #expect(bitmap.width == fixture.display?.width ?? fixture.width)
    }

    @Test func readmeContainsTheDecodingExample() throws { try expectReadmeExample(in: #filePath) }
}

/// Expects the README to contain the lines between `// README: begin` and `// README: end` of a test file.
func expectReadmeExample(in file: String) throws {
    let test = try String(contentsOf: URL(filePath: file), encoding: .utf8)
    let readme = try String(contentsOf: Fixture.folder.appending(path: "../README.md"), encoding: .utf8)
    let lines = test.split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0.hasSuffix("// README: begin") })
    let end = try #require(lines.firstIndex { $0.hasSuffix("// README: end") })

    let example = lines[(begin + 1)..<end].map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : String($0) }

    #expect(readme.contains(example.joined(separator: "\n")))
}
