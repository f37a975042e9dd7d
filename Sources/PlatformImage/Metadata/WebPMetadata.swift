/// Reads XMP from the chunks of a WebP file (RFC 9649, section 2.7); the codec reports the range of EXIF.
enum WebPMetadata {
    static func read(_ bytes: Span<UInt8>, into metadata: inout ImageMetadata, _ limits: inout MetadataLimits) {
        var at = 12  // `RIFF`, the size, `WEBP`
        while let size = ByteOrder.little.integer32(bytes, at: at + 4) {
            let data = at + 8
            guard size <= bytes.count - data else { return }
            let range = data..<data + size
            if bytes.hasPrefix(Array("XMP ".utf8), in: at..<data), metadata.xmp == nil {
                metadata.xmp = limits.copy(range, of: bytes)
            } else if bytes.hasPrefix(Array("EXIF".utf8), in: at..<data), metadata.exif == nil {
                // Some writers repeat the identifier of JPEG.
                let prefix = Array("Exif\0\0".utf8)
                metadata.exif = limits.copy(
                    range.dropFirst(bytes.hasPrefix(prefix, in: range) ? prefix.count : 0), of: bytes)
            }
            at = range.upperBound + size % 2
        }
    }
}
