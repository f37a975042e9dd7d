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
            var data = ByteCursor(range)
            if marker == Marker.app1, metadata.xmp == nil, data.skip(xmpIdentifier, bytes) {
                metadata.xmp = limits.copy(data.rest, of: bytes)
            } else if marker == Marker.app13, data.skip(photoshopIdentifier, bytes) {
                let total = FileNumber(resources.count).plusClamped(FileNumber(data.remaining))
                if total <= FileNumber(limits.maxNext) { resources.append(contentsOf: bytes.copy(data.rest)) }
            }
        }
        metadata.iptc = limits.accept(PhotoshopResources.iptc(in: resources.span))
    }

    /// The size in the first frame header (ITU-T T.81, B.2.2); nil when no complete one is before the first scan.
    static func size(in bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        var size: (width: Int, height: Int)?
        forEachSegment(bytes) { marker, range in
            guard size == nil, Marker.frames.contains(marker), !Marker.betweenFrames.contains(marker) else { return }
            var data = ByteCursor(range)
            let sides = 0...Int(UInt16.max)
            guard data.skip(1), let height = data.number(2, .big, bytes)?.int(in: sides),
                let width = data.number(2, .big, bytes)?.int(in: sides)
            else { return }
            size = (width: width, height: height)
        }
        return size
    }

    /// Calls `body` with each segment's marker and the range of its data, up to the first scan or the first error.
    private static func forEachSegment(_ bytes: Span<UInt8>, _ body: (UInt8, Range<Int>) -> Void) {
        var cursor = ByteCursor(bytes)
        while let byte = cursor.next(bytes) {
            // Fill bytes, and bytes that do not belong here.
            guard byte == Marker.prefix, let marker = cursor.peek(bytes), marker != Marker.prefix, marker != 0 else {
                continue
            }
            cursor.skip(1)
            if marker == Marker.startOfScan || marker == Marker.endOfImage { return }
            if marker == Marker.startOfImage || marker == Marker.temporary || Marker.restarts.contains(marker) {
                continue
            }
            // The length includes its own 2 bytes.
            guard let length = cursor.number(2, .big, bytes)?.minus(2), let data = cursor.take(length) else { return }
            body(marker, data)
        }
    }
}

/// Image resources of Photoshop (Adobe Photoshop File Formats, section "Image Resources").
enum PhotoshopResources {
    static let signature = Array("8BIM".utf8)
    static let iptcIdentifier = 0x0404

    /// The IPTC records; nil when there are none or the resources before them are damaged.
    static func iptc(in bytes: Span<UInt8>) -> [UInt8]? {
        var cursor = ByteCursor(bytes)
        while cursor.skip(signature, bytes) {
            // The identifier, and a name with its length, together padded to an even number of bytes.
            guard let identifier = cursor.number(2, .big, bytes), let nameLength = cursor.number(1, .big, bytes),
                let padded = nameLength.plus(1)?.evened?.minus(1), cursor.skip(padded),
                let size = cursor.number(4, .big, bytes), let data = cursor.take(size)
            else { return nil }
            if identifier == FileNumber(iptcIdentifier) { return bytes.copy(data) }
            if size.remainder(dividingBy: 2) == 1 { cursor.skip(1) }
        }
        return nil
    }
}
