import PlatformImage
import PlatformImageTestSupport
import Testing

/// Decoding each frame of an APNG parses the chunks before IDAT again, so their number is limited.
@Suite(.requirement("X7")) struct APNGPreambleTests {
    /// An ancillary chunk of no bytes, with its CRC-32.
    private static let emptyChunk: [UInt8] = [0, 0, 0, 0] + Array("teSt".utf8) + [0x4D, 0xFB, 0x5A, 0xAE]

    /// An APNG fixture with `before` empty chunks before acTL and `behind` empty chunks after acTL.
    private func animation(before: Int, behind: Int) throws -> [UInt8] {
        let bytes = try Fixture.named("apng/rgb8.png").load()
        let start = try #require((0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("acTL".utf8) }) - 4
        let end = start + 12 + 8
        let fill = { (count: Int) in [UInt8]((0..<count).map { _ in Self.emptyChunk }.joined()) }
        return bytes[..<start] + fill(before) + bytes[start..<end] + fill(behind) + bytes[end...]
    }

    @Test(arguments: [(4_096, 0), (5_000, 0), (0, 4_096), (2_000, 2_100), (4_095, 1), (4_095, 0)])
    func animationWithAtLeast4096ChunksBeforeIDATIsDecodedAsAStillImage(_ before: Int, _ behind: Int) throws {
        let header = try ImageDecoder().header(of: animation(before: before, behind: behind))

        #expect(header.frameCount == 1)
    }

    @Test(arguments: [(0, 0), (4_000, 0), (0, 4_000)])
    func animationWithFewerThan4096ChunksBeforeIDATKeepsItsFrames(_ before: Int, _ behind: Int) throws {
        let original = try ImageDecoder().header(of: animation(before: 0, behind: 0))
        let header = try ImageDecoder().header(of: animation(before: before, behind: behind))

        #expect(header.frameCount == original.frameCount && header.frameCount != 1)
    }
}
