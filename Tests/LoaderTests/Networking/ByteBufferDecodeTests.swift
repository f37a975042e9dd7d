#if AsyncHTTPClient
import NIOCore
import PlatformImage
import PlatformImageTestSupport
import Testing

/// Decoding from a buffer of SwiftNIO without a copy to an array.
@Suite(.timeLimit(.minutes(30))) struct ByteBufferDecodeTests {
    @Test func readableBytesOfABufferGiveTheResultsOfAnArray() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        var buffer = ByteBuffer(bytes: [1, 2, 3] + bytes)
        buffer.moveReaderIndex(forwardBy: 3)
        let view = buffer.readableBytesView
        #expect(view.withContiguousStorageIfAvailable { $0.count } == bytes.count)
        let options = ThumbnailOptions(width: 40)
        let image = try ImageDecoder().decode(bytes).bitmap.copyBytes()
        let thumbnail = try ImageDecoder().thumbnail(of: bytes, options: options).bitmap.copyBytes()

        #expect(try ImageDecoder().decode(view).bitmap.copyBytes() == image)
        let queue = DecodeQueue(width: 1)
        let queued = try await queue.decode(view)
        #expect(queued.bitmap.copyBytes() == image)
        let queuedThumbnail = try await queue.thumbnail(of: view, options: options)
        #expect(queuedThumbnail.bitmap.copyBytes() == thumbnail)
    }
}
#endif
