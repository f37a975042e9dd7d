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
    init(_ bytes: Span<UInt8>, _ layout: TIFFLayout, directory: FileNumber, maxByteCount: Int) {
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

    private func pointer(_ tag: Int, in entries: [Entry]) -> FileNumber? {
        guard let entry = entries.first(where: { $0.tag == tag }), entry.count == 1 else { return nil }
        return order.number(entry.value.count, entry.value.span, at: 0)
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
        var visited: Set<FileNumber> = []

        static let maxEntries = 512

        /// - Parameter makerNote: Receives the offset of the value of the first maker note.
        mutating func entries(
            _ bytes: Span<UInt8>, at offset: FileNumber, makerNote: (Int) -> Void = { _ in }
        ) -> [Entry] {
            guard visited.insert(offset).inserted, var cursor = ByteCursor(bytes).moved(to: offset),
                let claimed = cursor.number(layout.entryCountByteCount, layout.order, bytes)
            else { return [] }
            var entries: [Entry] = []
            var tags: Set<Int> = []
            for _ in 0..<max(0, min(claimed.clamped(), Self.maxEntries)) {
                guard let range = cursor.take(FileNumber(layout.entryByteCount)) else { break }
                guard let found = layout.entry(bytes, in: range), found.range.count <= remaining,
                    tags.insert(found.tag).inserted
                else { continue }
                remaining -= found.range.count  // trap-free: compared before
                if found.tag == Tag.makerNote { makerNote(found.range.lowerBound) }
                entries.append(
                    Entry(tag: found.tag, type: found.type, count: found.count, value: bytes.copy(found.range)))
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
        guard bytes.count >= 8, bytes.byte(at: 0) == bytes.byte(at: 1) else { return nil }
        switch bytes.byte(at: 0) {
        case UInt8(ascii: "I"): order = .little
        case UInt8(ascii: "M"): order = .big
        default: return nil
        }
        switch order.number(2, bytes, at: 2) {
        case 42: isBig = false
        case 43: isBig = true
        default: return nil
        }
    }

    /// The offset of the first IFD.
    func firstDirectory(_ bytes: Span<UInt8>) -> FileNumber? {
        order.number(offsetByteCount, bytes, at: isBig ? 8 : 4)
    }

    /// An entry of an IFD.
    struct Found {
        let tag, type: Int
        /// Number of values, at least 1.
        let count: Int
        /// The bytes of the values, completely inside of the file.
        let range: Range<Int>
    }

    /// The entry in a range; nil when the entry or its value is not inside `bytes`, and for unknown types.
    func entry(_ bytes: Span<UInt8>, in range: Range<Int>) -> Found? {
        var cursor = ByteCursor(range)
        let words = 0...Int(UInt16.max)
        guard let tag = cursor.number(2, order, bytes)?.int(in: words),
            let type = cursor.number(2, order, bytes)?.int(in: words),
            let count = cursor.number(offsetByteCount, order, bytes), count > 0,
            let size = EXIFTree.FieldType.byteCount(type), let byteCount = count.times(FileNumber(size))
        else { return nil }
        if byteCount > FileNumber(offsetByteCount) {
            guard let offset = cursor.number(offsetByteCount, order, bytes),
                let value = ByteCursor(bytes).moved(to: offset)
            else { return nil }
            cursor = value
        }
        guard let values = cursor.take(byteCount), let count: Int = count.exactly() else { return nil }
        return Found(tag: tag, type: type, count: count, range: values)
    }
}
