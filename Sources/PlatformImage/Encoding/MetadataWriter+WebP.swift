extension MetadataWriter {
    /// A VP8X chunk, which a simple file receives.
    static let webPHeaderByteCount = 8 + 10

    /// Flags of VP8X (RFC 9649, section 2.7.1).
    private enum Flag {
        static let profile: UInt8 = 0x20
        static let alpha: UInt8 = 0x10
        static let exif: UInt8 = 0x08
        static let xmp: UInt8 = 0x04
    }

    /// ICCP precedes the image data; EXIF and XMP follow it.
    static func webPParts(_ metadata: ImageMetadata, _ profile: [UInt8]?) -> Parts {
        var parts = Parts()
        if let profile {
            parts.head = webPChunk("ICCP", profile)
            parts.webPFlags |= Flag.profile
        }
        if let exif = metadata.exif {
            parts.tail += webPChunk("EXIF", exif)
            parts.webPFlags |= Flag.exif
        }
        if let xmp = metadata.xmp {
            parts.tail += webPChunk("XMP ", xmp)
            parts.webPFlags |= Flag.xmp
        }
        return parts
    }

    /// The file with an extended header and the chunks. The file is one that an encoder of this package wrote: it has
    /// no metadata, and its size is that of the RIFF chunk.
    func insertIntoWebP(_ file: [UInt8]) -> [UInt8] {
        let fileHeader = 12  // `RIFF`, the size, `WEBP`
        guard file.count >= fileHeader + 8 else { return file }
        let isExtended = file[12..<16].elementsEqual("VP8X".utf8) && file.count >= fileHeader + Self.webPHeaderByteCount
        var header: [UInt8]
        if isExtended {
            header = Array(file[fileHeader..<fileHeader + Self.webPHeaderByteCount])
        } else {
            header = Self.webPChunk(
                "VP8X",
                [UInt8](repeating: 0, count: 4) + ByteOrder.little.bytes(width - 1, count: 3)
                    + ByteOrder.little.bytes(height - 1, count: 3))
            if Self.losslessHasAlpha(file) { header[8] |= Flag.alpha }
        }
        header[8] |= parts.webPFlags
        let images = file[(isExtended ? fileHeader + Self.webPHeaderByteCount : fileHeader)...]
        let content = header + parts.head + images + parts.tail
        return Array("RIFF".utf8) + ByteOrder.little.bytes(content.count + 4, count: 4) + Array("WEBP".utf8) + content
    }

    /// The bit alpha_is_used of a simple lossless file: after the signature byte and two sizes of 14 bits (RFC 9649,
    /// 3.4).
    private static func losslessHasAlpha(_ file: [UInt8]) -> Bool {
        file.count > 24 && file[12..<16].elementsEqual("VP8L".utf8) && file[24] & 0x10 != 0
    }

    private static func webPChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + ByteOrder.little.bytes(data.count, count: 4) + data
            + [UInt8](repeating: 0, count: data.count % 2)
    }
}
