// Not built by the checks of this repository, which fetch no package.

import NIOCore
import PlatformImage

extension DecodeQueue {
    /// Decodes the readable bytes of a buffer, without copying them.
    func decode(_ buffer: ByteBuffer) async throws -> DecodedImage { try await decode(buffer.readableBytesView) }

    /// Encodes a bitmap as the body of a response.
    func pngBuffer(of bitmap: Bitmap) async throws -> ByteBuffer {
        ByteBuffer(bytes: try await encode(bitmap, as: .png))
    }
}
