import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compiles and runs the thumbnail example of the README; the second test expects the same text in the README.
@Suite struct ThumbnailReadmeTests {
    @Test func readmeExampleCreatesAThumbnail() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let (queue, decoder) = (DecodeQueue(width: 1), ImageDecoder())

        // README: begin
        var options = ThumbnailOptions(width: 300, height: 200, fit: .cover)
        options.gravity = Gravity(x: 0.5, y: 0.3)
        let small = try await queue.thumbnail(of: bytes, options: options, with: decoder)
        let file = try ImageEncoder().encode(small.bitmap, as: .jpeg)
        // README: end

        let header = try decoder.header(of: file)
        #expect(header.width == small.bitmap.width && header.height == small.bitmap.height)
        #expect(header.format == .jpeg)
    }

    @Test func readmeContainsTheThumbnailExample() throws { try expectReadmeExample(in: #filePath) }
}
