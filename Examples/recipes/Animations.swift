import PlatformImage
import Testing

/// The frames of a GIF or an animated PNG as PNG files, each complete (composed with the frames before it).
///
/// - Parameter maxFrames: Later frames are ignored, so that a long animation costs no more.
/// - Returns: The files and the duration for which a player shows each of them.
func pngFrames(of bytes: [UInt8], maxFrames: Int = 500) throws -> [(file: [UInt8], duration: Duration)] {
    let frames = try ImageDecoder().frames(of: bytes)
    var files: [(file: [UInt8], duration: Duration)] = []
    while files.count < maxFrames, let frame = try frames.next() {
        let file = try ImageEncoder().encode(frame.bitmap, as: .png)
        files.append((file, frame.info.delay.displayed))
    }
    return files
}

/// An animated PNG of image files of equal size, played without end.
func animation(of files: [[UInt8]], framesPerSecond: Int) throws -> [UInt8] {
    let delay = FrameDelay(numerator: 1, denominator: framesPerSecond)
    let frames = try files.enumerated().map { index, file in
        AnimationFrame(try ImageDecoder().decode(file).bitmap, delay: delay, index: index)
    }
    return try ImageEncoder().encodeAnimation(frames, loopCount: 0)
}

/// A smaller animation: the same frames and delays, as an animated PNG. Runs on a queue, because it can take long.
func smallAnimation(of bytes: [UInt8], width: Int, on queue: DecodeQueue) async throws -> [UInt8] {
    try await queue.run { flag in
        let options = ThumbnailOptions(width: width)
        let result = try ImageDecoder().thumbnails(ofFramesIn: bytes, options: options, cancellation: flag)
        return try ImageEncoder().encodeAnimation(result, cancellation: flag)
    }
}

extension RecipeTests {
    @Test func animationIsSplitIntoFramesAndJoinedAgain() async throws {
        let gif = try example("demo/orbit.gif")

        let frames = try pngFrames(of: gif)
        let joined = try animation(of: frames.map(\.file), framesPerSecond: 10)
        let small = try await smallAnimation(of: gif, width: 40, on: DecodeQueue(width: 1))

        #expect(frames.count == 24)
        #expect(try ImageDecoder().header(of: joined).frameCount == 24)
        let (first, again) = (try ImageDecoder().frames(of: gif), try ImageDecoder().frames(of: joined))
        while let frame = try first.next() {
            let other = try #require(try again.next())
            #expect(
                other.bitmap.clearingTransparentPixels().copyBytes()
                    == frame.bitmap.clearingTransparentPixels().copyBytes())
            #expect(other.info.delay.displayed == .milliseconds(100))
        }
        let header = try ImageDecoder().header(of: small)
        #expect(header.width == 40 && header.frameCount == 24)
    }
}
