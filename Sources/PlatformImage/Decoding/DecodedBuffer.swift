/// The result of a decode into the caller's memory: size, header and status of the image in the buffer.
public struct DecodedBuffer: Sendable {
    /// Pixels in a row, after scaling and orientation.
    public let width: Int
    /// Rows, after scaling and orientation.
    public let height: Int
    /// Bytes from the start of a row to the start of the next.
    public let bytesPerRow: Int
    /// The bytes of each pixel.
    public let layout: PixelLayout
    /// The file's header, with the warnings of the complete decode, as in ``DecodedImage/header``.
    public let header: ImageHeader
    /// Complete, truncated or corrupt.
    public let status: DecodeStatus
}
