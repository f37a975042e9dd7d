/// Reads XMP from the chunks of a WebP file (RFC 9649, section 2.7); the codec reports the range of EXIF.
enum WebPMetadata {
    private static let headerByteCount: FileNumber = 12  // `RIFF`, the size, `WEBP`
    private static let xmp = Array("XMP ".utf8)
    private static let exif = Array("EXIF".utf8)
    /// Some writers repeat the identifier of JPEG.
    private static let exifIdentifier = Array("Exif\0\0".utf8)

    static func read(_ bytes: Span<UInt8>, into metadata: inout ImageMetadata, _ limits: inout MetadataLimits) {
        var cursor = ByteCursor(bytes)
        cursor.skip(headerByteCount)
        while let type = cursor.take(4), let size = cursor.number(4, .little, bytes), let data = cursor.take(size) {
            if bytes.matches(xmp, in: type), metadata.xmp == nil {
                metadata.xmp = limits.copy(data, of: bytes)
            } else if bytes.matches(exif, in: type), metadata.exif == nil {
                var block = ByteCursor(data)
                _ = block.skip(exifIdentifier, bytes)
                metadata.exif = limits.copy(block.rest, of: bytes)
            }
            if size.remainder(dividingBy: 2) == 1 { cursor.skip(1) }
        }
    }
}
