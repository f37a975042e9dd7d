/// The IFDs of an EXIF block or of a TIFF page, with copies of their values.
///
/// Reads IFD0 and its Exif and GPS IFDs, each at most once. IFD1, which contains the thumbnail, is not read, nor is the
/// interoperability IFD, which names the colour space of the source. Entries outside the file, of unknown types, and
/// with more bytes than the limit are omitted. All other offsets are ignored, so that cycles have no effect.
struct EXIFTree {
    /// An entry of an IFD. The value is in the byte order of the block.
    struct Entry {
        let tag: Int
        let type: Int
        /// Number of values, not of bytes.
        let count: Int
        let value: [UInt8]
    }

    let order: ByteOrder
    var first: [Entry] = []
    var exif: [Entry] = []
    var gps: [Entry] = []
    /// The offset of the maker note from the TIFF header. Maker notes can contain offsets from there.
    private(set) var makerNoteOffset: Int?

    /// Reads a block that starts with a TIFF header; nil for other bytes.
    init?(_ block: Span<UInt8>) {
        guard let layout = TIFFLayout(block), let start = layout.firstDirectory(block) else { return nil }
        self.init(block, layout, directory: start, maxByteCount: block.count)
    }

    /// Reads an IFD0 at `directory`, and the IFDs that it points to.
    ///
    /// - Parameter maxByteCount: The maximum sum of the bytes of all values.
    init(_ bytes: Span<UInt8>, _ layout: TIFFLayout, directory: Int, maxByteCount: Int) {
        order = layout.order
        var reader = Reader(layout: layout, remaining: maxByteCount)
        first = reader.entries(bytes, at: directory)
        let (exifAt, gpsAt) = (pointer(Tag.exifIFDPointer, in: first), pointer(Tag.gpsIFDPointer, in: first))
        if let exifAt {
            exif = reader.entries(bytes, at: exifAt) { makerNoteOffset = $0 }
        }
        if let gpsAt { gps = reader.entries(bytes, at: gpsAt) }
        removeEntries { Self.isPointer($0.tag) }
    }

    init(order: ByteOrder) { self.order = order }

    /// True when there is no entry.
    var isEmpty: Bool { first.isEmpty && exif.isEmpty && gps.isEmpty }

    /// True for tags whose values are offsets of IFDs or of data, in any IFD: the pointers of EXIF 2.32, SubIFDs,
    /// and the places of strips, tiles, free bytes, JPEG tables and thumbnails. A copied offset would point to other
    /// bytes of the new block.
    static func isPointer(_ tag: Int) -> Bool {
        switch tag {
        case Tag.exifIFDPointer, Tag.gpsIFDPointer, Tag.interoperabilityIFDPointer: true
        // StripOffsets, StripByteCounts, FreeOffsets, FreeByteCounts, TileOffsets, TileByteCounts, SubIFDs.
        case 273, 279, 288, 289, 324, 325, 330: true
        // JPEGInterchangeFormat, JPEGInterchangeFormatLength, JPEGQTables, JPEGDCTables, JPEGACTables.
        case 513, 514, 519, 520, 521: true
        case 400: true  // GlobalParametersIFD (RFC 3949)
        default: false
        }
    }

    private func pointer(_ tag: Int, in entries: [Entry]) -> Int? {
        guard let entry = entries.first(where: { $0.tag == tag }), entry.count == 1 else { return nil }
        return order.integer(entry.value.span, at: 0, byteCount: entry.value.count)
    }

    /// Tags of TIFF 6.0 and EXIF 2.32.
    enum Tag {
        static let artist = 315
        static let copyright = 33432
        static let exifIFDPointer = 34665
        static let gpsIFDPointer = 34853
        static let makerNote = 37500
        static let colorSpace = 40961
        static let pixelXDimension = 40962
        static let pixelYDimension = 40963
        static let interoperabilityIFDPointer = 40965
    }

    /// Types of TIFF 6.0, section 2, and of EXIF 3.0 (UTF-8).
    enum FieldType {
        static let ascii = 2
        static let short = 3
        static let long = 4
        /// The offset of an IFD.
        static let directory = 13

        /// Bytes of one value; nil for unknown types.
        static func byteCount(_ type: Int) -> Int? {
            switch type {
            case 1, 2, 6, 7, 129: 1
            case 3, 8: 2
            case 4, 9, 11, 13: 4
            case 5, 10, 12, 16, 17, 18: 8
            default: nil
            }
        }
    }
}

extension EXIFTree {
    /// Reads IFDs; each one only once.
    private struct Reader {
        let layout: TIFFLayout
        var remaining: Int
        var visited: Set<Int> = []

        static let maxEntries = 512

        /// - Parameter makerNote: Receives the offset of the value of the first maker note.
        mutating func entries(
            _ bytes: Span<UInt8>, at offset: Int, makerNote: (Int) -> Void = { _ in }
        ) -> [Entry] {
            guard visited.insert(offset).inserted,
                let claimed = layout.order.integer(bytes, at: offset, byteCount: layout.entryCountByteCount)
            else { return [] }
            var entries: [Entry] = []
            for index in 0..<min(claimed, Self.maxEntries) {
                // The sum cannot overflow: `offset` is inside the file.
                let at = offset + layout.entryCountByteCount + index * layout.entryByteCount
                guard let (tag, type, count, range) = layout.entry(bytes, at: at) else { continue }
                guard range.count <= remaining, !entries.contains(where: { $0.tag == tag }) else { continue }
                remaining -= range.count
                if tag == Tag.makerNote { makerNote(range.lowerBound) }
                entries.append(Entry(tag: tag, type: type, count: count, value: [UInt8](bytes.extracting(range))))
            }
            return entries
        }
    }
}

/// The sizes and the byte order of a TIFF or BigTIFF structure.
struct TIFFLayout {
    let order: ByteOrder
    let isBig: Bool

    var entryCountByteCount: Int { isBig ? 8 : 2 }
    var entryByteCount: Int { isBig ? 20 : 12 }
    /// Bytes of offsets and value counts; shorter values are in the entry.
    var offsetByteCount: Int { isBig ? 8 : 4 }

    /// Reads the byte order mark and the version; nil when they are not those of a TIFF.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 8, bytes[0] == bytes[1] else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "I"): order = .little
        case UInt8(ascii: "M"): order = .big
        default: return nil
        }
        switch order.integer16(bytes, at: 2) {
        case 42: isBig = false
        case 43: isBig = true
        default: return nil
        }
    }

    /// The offset of the first IFD.
    func firstDirectory(_ bytes: Span<UInt8>) -> Int? {
        order.integer(bytes, at: isBig ? 8 : 4, byteCount: offsetByteCount)
    }

    /// The offset of the IFD after the one at `offset`; nil after the last one.
    func nextDirectory(_ bytes: Span<UInt8>, after offset: Int) -> Int? {
        guard let count = order.integer(bytes, at: offset, byteCount: entryCountByteCount),
            count <= bytes.count / entryByteCount
        else { return nil }
        let at = offset + entryCountByteCount + count * entryByteCount
        return order.integer(bytes, at: at, byteCount: offsetByteCount).flatMap { $0 == 0 ? nil : $0 }
    }

    /// An entry and the range of its value; nil when the entry or the value is not inside `bytes`, and for unknown
    /// types.
    func entry(
        _ bytes: Span<UInt8>, at offset: Int
    ) -> (tag: Int, type: Int, count: Int, range: Range<Int>)? {
        guard let tag = order.integer16(bytes, at: offset), let type = order.integer16(bytes, at: offset + 2),
            let count = order.integer(bytes, at: offset + 4, byteCount: offsetByteCount),
            let size = EXIFTree.FieldType.byteCount(type), count > 0, count <= bytes.count / size
        else { return nil }
        let byteCount = count * size
        var start = offset + 4 + offsetByteCount
        guard start + offsetByteCount <= bytes.count else { return nil }
        if byteCount > offsetByteCount {
            guard let value = order.integer(bytes, at: start, byteCount: offsetByteCount) else { return nil }
            start = value
        }
        guard start <= bytes.count, byteCount <= bytes.count - start else { return nil }
        return (tag, type, count, start..<start + byteCount)
    }
}
