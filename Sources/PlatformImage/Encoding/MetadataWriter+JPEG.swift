extension MetadataWriter {
    /// Maximum bytes of a segment's data: its length field has 16 bits and counts itself.
    private static let maxSegment = 65_535 - 2
    private static let exifIdentifier = Array("Exif\0\0".utf8)
    private static let iccIdentifier = Array("ICC_PROFILE\0".utf8)
    private static let maxProfilePart = maxSegment - 14

    /// The position after SOI and the JFIF segment, which must be the first one (ITU-T T.871, section 10.1).
    static func jpegHeaderByteCount(_ file: [UInt8]) -> Int {
        guard file.count > 6, file[2] == 0xFF, file[3] == 0xE0 else { return 2 }
        return min(file.count, 4 + Int(file[4]) << 8 + Int(file[5]))
    }

    /// XMP and IPTC that do not fit into one segment are omitted. A profile has at most 255 segments (ICC.1, B.4);
    /// larger profiles are rejected by ``EncodeOptions``.
    static func jpegParts(_ metadata: ImageMetadata, _ profile: [UInt8]?) -> Parts {
        var parts = Parts()
        if let exif = metadata.exif { parts.head += segment(0xE1, exifIdentifier + exif) }
        if let xmp = metadata.xmp { parts.head += segment(0xE1, JPEGMetadata.xmpIdentifier + xmp) }
        if let iptc = metadata.iptc {
            parts.head += segment(0xED, JPEGMetadata.photoshopIdentifier + photoshopResources(iptc))
        }
        if let profile {
            let count = (profile.count + maxProfilePart - 1) / maxProfilePart
            for index in 0..<count {
                let start = index * maxProfilePart
                let part = profile[start..<min(profile.count, start + maxProfilePart)]
                parts.head += segment(0xE2, iccIdentifier + [UInt8(index + 1), UInt8(count)] + part)
            }
        }
        return parts
    }

    static var maxJPEGProfile: Int { maxProfilePart * 255 }

    /// A segment; empty when the data does not fit.
    private static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        data.count > maxSegment ? [] : [0xFF, marker] + ByteOrder.big.bytes(data.count + 2, count: 2) + data
    }
}
