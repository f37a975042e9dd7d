/// A decoded image with its header and status.
public struct DecodedImage: Sendable {
    /// The pixels, after scaling and orientation.
    public let bitmap: PlatformImage
    /// The file's header, with the warnings of the complete decode. ``ImageHeader/frameCount`` is nil when counting
    /// would require an additional read of the file.
    public let header: ImageHeader
    /// Complete, truncated or corrupt.
    public let status: DecodeStatus
}

extension ImageHeader {
    /// The header of an 8-bit RGBA PNG that contains this bitmap and no metadata.
    package init(of bitmap: Bitmap) {
        self.init(
            format: .png, width: bitmap.width, height: bitmap.height, bitsPerChannel: 8, channelCount: 4,
            colorModel: .rgb, hasAlpha: true, frameCount: 1)
    }
}

extension DecodedImage {
    /// Wraps a bitmap that was not decoded from a file; the header describes an RGBA PNG, and the status is complete.
    package init(_ bitmap: Bitmap) { self.init(bitmap, header: ImageHeader(of: bitmap)) }

    /// An image that was complete when a bitmap was made from it.
    package init(_ bitmap: Bitmap, header: ImageHeader) {
        self.init(bitmap: bitmap, header: header, status: .complete)
    }

    /// The same header and status with other pixels.
    package func replacing(_ bitmap: Bitmap) -> Self { Self(bitmap: bitmap, header: header, status: status) }
}

extension DecodedImage {
    /// Writes the pixels to the caller's memory; on a thrown error the buffer is unchanged.
    ///
    /// - Throws: The errors of ``Bitmap/copyPixels(to:layout:stride:)``.
    func copied(
        to buffer: inout MutableSpan<UInt8>, layout: PixelLayout, stride: Int?
    ) throws(DecodeError) -> DecodedBuffer {
        let stride = try layout.checkedStride(
            stride, width: bitmap.width, height: bitmap.height, byteCount: buffer.count, "buffer")
        try bitmap.copyPixels(to: &buffer, layout: layout, stride: stride)
        return DecodedBuffer(
            width: bitmap.width, height: bitmap.height, bytesPerRow: stride, layout: layout, header: header,
            status: status)
    }
}
