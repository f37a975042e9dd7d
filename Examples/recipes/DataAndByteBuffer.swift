#if AsyncHTTPClient
import Foundation
import NIOCore
import PlatformImage
import Testing

/// Decodes the bytes of a `Data` without copying them. Blocks the calling thread: do not call it on a server's threads.
func decode(_ data: Data, with decoder: ImageDecoder = ImageDecoder()) throws -> DecodedImage {
    try decoder.decode(data.span)
}

/// Decodes the readable bytes of a `ByteBuffer` on a queue. One copy, from the buffer to an array.
func decode(_ buffer: ByteBuffer, on queue: DecodeQueue) async throws -> DecodedImage {
    try await queue.decode([UInt8](buffer: buffer))
}

/// Encodes a bitmap as the body of a response.
func pngBuffer(of bitmap: Bitmap, on queue: DecodeQueue) async throws -> ByteBuffer {
    ByteBuffer(bytes: try await queue.encode(bitmap, as: .png))
}

/// The pixels as `Data` for another library: rows from the top, R G B A, straight or premultiplied alpha.
func pixelData(of bitmap: Bitmap, premultiplied: Bool) -> Data {
    let pixels = premultiplied ? bitmap.premultiplied() : bitmap
    return Data(pixels.copyBytes())
}

/// A bitmap of the pixels of another library: rows of `bytesPerRow` bytes from the top, R G B A, straight alpha.
///
/// - Throws: A `DecodeError` when the size exceeds the limits of a service; traps when `data` is too short.
func bitmap(of data: Data, width: Int, height: Int, bytesPerRow: Int) throws -> Bitmap {
    try Bitmap(width: width, height: height, limits: .thumbnailService) { pixels in
        for row in 0..<height {
            for column in 0..<width * 4 {
                pixels[row * width * 4 + column] = data[data.startIndex + row * bytesPerRow + column]
            }
        }
    }
}

extension RecipeTests {
    @Test func bytesOfDataAndByteBuffersAreDecodedAndEncoded() async throws {
        let (bytes, queue) = (try example("demo/logo.png"), DecodeQueue(width: 1))
        let expected = try ImageDecoder().decode(bytes).bitmap.copyBytes()

        let fromData = try decode(Data(bytes)).bitmap
        let buffer = try await pngBuffer(of: fromData, on: queue)
        let fromBuffer = try await decode(buffer, on: queue).bitmap

        #expect(fromData.copyBytes() == expected)
        #expect(fromBuffer.copyBytes() == expected)
        let pixels = pixelData(of: fromBuffer, premultiplied: false)
        let again = try bitmap(of: pixels, width: fromData.width, height: fromData.height, bytesPerRow: 320 * 4)
        #expect(again.copyBytes() == expected)
        #expect(pixelData(of: again, premultiplied: true).count == again.byteCount)
    }
}
#endif
