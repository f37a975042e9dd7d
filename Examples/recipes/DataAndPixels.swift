import Foundation
import PlatformImage
import Testing

/// Decodes the bytes of a `Data` on a queue, without copying them.
func decode(_ data: Data, on queue: DecodeQueue) async throws -> DecodedImage {
    try await queue.decode(.bytes(data))
}

/// Encodes a bitmap as the body of a response.
func pngData(of bitmap: Bitmap, on queue: DecodeQueue) async throws -> Data {
    Data(try await queue.encode(bitmap, as: .png))
}

/// The pixels for a drawing library that requires premultiplied B G R A: rows from the top, without padding.
func drawingBytes(of bitmap: Bitmap) throws -> Data {
    Data(try bitmap.bytes(layout: .bgraPremultiplied))
}

/// A bitmap of the pixels of a camera library: R G B without alpha, rows of `stride` bytes from the top.
///
/// - Throws: A `DecodeError` when `data` has fewer bytes than the rows, or the size exceeds the default limits.
func bitmap(ofRGB data: Data, width: Int, height: Int, stride: Int) throws -> Bitmap {
    try Bitmap(width: width, height: height, bytes: data.span, layout: .rgb, stride: stride)
}

extension RecipeTests {
    @Test func bytesOfDataAreDecodedAndEncoded() async throws {
        let (bytes, queue) = (try example("demo/logo.png"), DecodeQueue(width: 1))
        let expected = try ImageDecoder().decode(bytes).bitmap.copyBytes()

        let bitmap = try await decode(Data(bytes), on: queue).bitmap
        let file = try await pngData(of: bitmap, on: queue)
        let again = try await decode(file, on: queue).bitmap

        #expect(bitmap.copyBytes() == expected)
        #expect(again.copyBytes() == expected)
    }

    @Test func pixelsOfOtherLibrariesAreConverted() throws {
        // Two rows of two pixels, with two bytes of padding between the rows.
        let image = try bitmap(
            ofRGB: Data([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12]), width: 2, height: 2, stride: 8)
        #expect(image.copyBytes() == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255])

        let half = Bitmap(width: 1, height: 1) { pixels in
            for (index, value) in [200, 100, 50, 128].enumerated() { pixels[index] = UInt8(value) }
        }
        #expect(try drawingBytes(of: half) == Data([25, 50, 100, 128]))
        #expect(throws: DecodeError.self) { try bitmap(ofRGB: Data([1, 2, 3]), width: 2, height: 2, stride: 8) }
    }
}
