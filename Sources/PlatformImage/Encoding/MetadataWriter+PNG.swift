extension MetadataWriter {
    /// Signature and IHDR. Profiles must precede PLTE and IDAT; EXIF and text can have any place (PNG, third edition,
    /// 5.6).
    static let pngHeaderByteCount = 8 + 25

    static func pngParts(_ metadata: ImageMetadata, _ profile: [UInt8]?) -> Parts {
        var parts = Parts()
        if let stream = profile?.zlibCompressed() {
            parts.head += pngChunk("iCCP", Array("ICC Profile".utf8) + [0, 0] + stream)
        }
        if let exif = metadata.exif { parts.head += pngChunk("eXIf", exif) }
        if let xmp = metadata.xmp {
            // Not compressed, with an empty language tag and translated keyword.
            parts.head += pngChunk("iTXt", PNGMetadata.xmpKeyword + [0, 0, 0, 0, 0] + xmp)
        }
        if let iptc = metadata.iptc,
            let stream = RawProfile.text(photoshopResources(iptc), name: "iptc").zlibCompressed()
        {
            parts.head += pngChunk("zTXt", PNGMetadata.iptcKeyword + [0, 0] + stream)
        }
        return parts
    }

    private static func pngChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        return ByteOrder.big.bytes(data.count, count: 4) + content
            + ByteOrder.big.bytes(Int(content.span.crc32), count: 4)
    }

    /// IPTC records as a Photoshop resource with an empty name.
    static func photoshopResources(_ iptc: [UInt8]) -> [UInt8] {
        PhotoshopResources.signature + ByteOrder.big.bytes(PhotoshopResources.iptcIdentifier, count: 2) + [0, 0]
            + ByteOrder.big.bytes(iptc.count, count: 4) + iptc + [UInt8](repeating: 0, count: iptc.count % 2)
    }
}
