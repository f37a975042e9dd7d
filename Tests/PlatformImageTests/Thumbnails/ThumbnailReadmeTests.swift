import PlatformImage
import PlatformImageTestSupport
import Testing

/// The example of thumbnails in the README, compiled and run; the second test holds the two texts together.
@Suite struct ThumbnailReadmeTests {
    @Test func theExampleRuns() async throws {
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

    @Test func theReadmeShowsThisExample() throws { try expectReadmeExample(in: #filePath) }
}
