import PlatformImage
import PlatformImageTestSupport
import Testing

/// Thumbnails of an animation, encoded without taking their frames out of the result.
@Suite struct ThumbnailAnimationTests {
    private static let formats: [EncodedFormat] = [.png, .gif, .webp].filter(\.isAvailable)

    @Test(arguments: formats, ["demo/orbit.gif", "gif/animation-truncated.gif", "demo/mountains.jpg"])
    func resultOfThumbnailsIsEncodedAsItsFramesAre(_ format: EncodedFormat, _ path: String) async throws {
        let bytes = try Fixture.file(path)
        let options = ThumbnailOptions(width: 24)
        let encoder = ImageEncoder()
        let thumbnails = try ImageDecoder().thumbnails(ofFramesIn: bytes, options: options)
        let expected = try encoder.encodeAnimation(thumbnails.frames, as: format, loopCount: 3)

        let file = try encoder.encodeAnimation(
            ImageDecoder().thumbnails(ofFramesIn: bytes, options: options), as: format, loopCount: 3)
        let queued = try await DecodeQueue(width: 1).encodeAnimation(thumbnails, as: format, loopCount: 3)

        #expect(file == expected && queued == expected)
    }

    @Test func resultOfThumbnailsIsEncodedAsAnInfiniteAPNGByDefault() throws {
        let thumbnails = try ImageDecoder().thumbnails(
            ofFramesIn: Fixture.file("demo/orbit.gif"), options: ThumbnailOptions(width: 24))

        let header = try ImageDecoder().header(of: ImageEncoder().encodeAnimation(thumbnails))

        #expect(header.format == .png && header.frameCount == thumbnails.frames.count && header.loopCount == 0)
    }

    @Test func resultWithoutAFrameIsRefused() {
        #expect(throws: EncodeError.self) { try ImageEncoder().encodeAnimation((frames: [], status: .complete)) }
    }
}
