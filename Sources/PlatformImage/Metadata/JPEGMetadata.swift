/// Reads XMP and IPTC from the segments before the first scan of a JPEG.
enum JPEGMetadata {
    private enum Marker {
        static let prefix: UInt8 = 0xFF
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let startOfImage: UInt8 = 0xD8
        static let endOfImage: UInt8 = 0xD9
        static let startOfScan: UInt8 = 0xDA
        static let app1: UInt8 = 0xE1
        static let app13: UInt8 = 0xED
        static let temporary: UInt8 = 0x01
        /// SOF0 to SOF15 and, between them, the tables and codes DHT, JPG and DAC.
        static let frames: ClosedRange<UInt8> = 0xC0...0xCF
        static let betweenFrames: [UInt8] = [0xC4, 0xC8, 0xCC]
    }
    /// Identifiers at the start of segments: XMP specification part 3, section 1.1.3, and Photoshop file formats.
    static let xmpIdentifier = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    static let photoshopIdentifier = Array("Photoshop 3.0\0".utf8)

    static func read(_ bytes: Span<UInt8>, into metadata: inout ImageMetadata, _ limits: inout MetadataLimits) {
        // Photoshop resources can continue in the next APP13.
        var resources: [UInt8] = []
        forEachSegment(bytes) { marker, range in
            if marker == Marker.app1, metadata.xmp == nil, bytes.hasPrefix(xmpIdentifier, in: range) {
                metadata.xmp = limits.copy(range.dropFirst(xmpIdentifier.count), of: bytes)
            } else if marker == Marker.app13, bytes.hasPrefix(photoshopIdentifier, in: range) {
                let part = range.dropFirst(photoshopIdentifier.count)
                if part.count <= limits.maxNext - resources.count { resources += [UInt8](bytes.extracting(part)) }
            }
        }
        metadata.iptc = limits.accept(PhotoshopResources.iptc(in: resources.span))
    }

    /// The size in the first frame header (ITU-T T.81, B.2.2); nil when no complete one is before the first scan.
    static func size(in bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        var size: (width: Int, height: Int)?
        forEachSegment(bytes) { marker, range in
            guard size == nil, Marker.frames.contains(marker), !Marker.betweenFrames.contains(marker), range.count >= 5
            else { return }
            func side(at offset: Int) -> Int {
                Int(bytes[range.lowerBound + offset]) << 8 | Int(bytes[range.lowerBound + offset + 1])
            }
            size = (width: side(at: 3), height: side(at: 1))
        }
        return size
    }

    /// Calls `body` with each segment's marker and the range of its data, up to the first scan or the first error.
    private static func forEachSegment(_ bytes: Span<UInt8>, _ body: (UInt8, Range<Int>) -> Void) {
        var at = 0
        while at + 1 < bytes.count {
            guard bytes[at] == Marker.prefix, bytes[at + 1] != Marker.prefix, bytes[at + 1] != 0 else {
                at += 1  // fill bytes, or bytes that do not belong here
                continue
            }
            let marker = bytes[at + 1]
            at += 2
            if marker == Marker.startOfScan || marker == Marker.endOfImage { return }
            if marker == Marker.startOfImage || marker == Marker.temporary || Marker.restarts.contains(marker) {
                continue
            }
            guard at + 2 <= bytes.count else { return }
            let length = Int(bytes[at]) << 8 | Int(bytes[at + 1])  // includes its own 2 bytes
            guard length >= 2, length <= bytes.count - at else { return }
            body(marker, at + 2..<at + length)
            at += length
        }
    }
}

/// Image resources of Photoshop (Adobe Photoshop File Formats, section "Image Resources").
enum PhotoshopResources {
    static let signature = Array("8BIM".utf8)
    static let iptcIdentifier = 0x0404

    /// The IPTC records; nil when there are none or the resources before them are damaged.
    static func iptc(in bytes: Span<UInt8>) -> [UInt8]? {
        var at = 0
        // Signature, identifier, the name's length, the padded name, and the size.
        while at + 12 <= bytes.count, bytes.hasPrefix(signature, in: at..<bytes.count) {
            let identifier = Int(bytes[at + 4]) << 8 | Int(bytes[at + 5])
            let sizeAt = at + 6 + (Int(bytes[at + 6]) + 2) / 2 * 2
            guard let size = ByteOrder.big.integer32(bytes, at: sizeAt), size <= bytes.count - sizeAt - 4 else {
                return nil
            }
            let data = sizeAt + 4..<sizeAt + 4 + size
            if identifier == iptcIdentifier { return [UInt8](bytes.extracting(data)) }
            at = data.upperBound + size % 2
        }
        return nil
    }
}

extension Span<UInt8> {
    /// True when the bytes of `range`, which is inside the span, start with `prefix`.
    func hasPrefix(_ prefix: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count >= prefix.count else { return false }
        for (index, byte) in prefix.enumerated() where self[range.lowerBound + index] != byte { return false }
        return true
    }
}
