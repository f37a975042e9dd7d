extension EXIFTree {
    /// The tree as an EXIF block with the byte order of the source; nil when there is no entry.
    ///
    /// The pointers to IFDs are written from their places alone: entries with the tag of a pointer are omitted in every
    /// IFD. The maker note of the Exif IFD keeps its offset if the entries of IFD0 do not reach it, because it can
    /// contain offsets from the TIFF header.
    var block: [UInt8]? {
        let (first, exif, gps) = (Self.withoutPointers(first), Self.withoutPointers(exif), Self.withoutPointers(gps))
        guard !(first.isEmpty && exif.isEmpty && gps.isEmpty) else { return nil }
        // IFD0 exists always; the others only with entries.
        let others = [(exif, Tag.exifIFDPointer), (gps, Tag.gpsIFDPointer)].filter { !$0.0.isEmpty }

        var writer = Writer(order: order)
        let firstByteCount = Writer.byteCount(entryCount: first.count &+ others.count)
        if let makerNoteOffset, let note = exif.first(where: { $0.tag == Tag.makerNote }) {
            writer.reserve(makerNoteOffset, byteCount: note.value.count, after: firstByteCount)
        }
        let firstAt = writer.allocate(firstByteCount)
        let offsets = others.map { writer.allocate(Writer.byteCount(entryCount: $0.0.count)) }
        let pointers = zip(others, offsets).map { (other, offset) in
            Entry(tag: other.1, type: FieldType.long, count: 1, value: order.bytes(offset, count: 4))
        }
        writer.write([first, pointers].flatMap { $0 }, at: firstAt, hasReservedNote: false)
        for (other, offset) in zip(others, offsets) {
            writer.write(other.0, at: offset, hasReservedNote: other.1 == Tag.exifIFDPointer)
        }
        return writer.bytes
    }

    /// The entries without pointers to IFDs and data, of whose tags a block has the first only.
    private static func withoutPointers(_ entries: [Entry]) -> [Entry] {
        var tags: Set<Int> = []
        return entries.filter { !isPointer($0.tag) && tags.insert($0.tag).inserted }
    }

    /// Places IFDs and values one after another, except the maker note, which has a fixed place.
    private struct Writer {
        let order: ByteOrder
        private(set) var bytes: [UInt8]
        private var next = headerByteCount
        /// The place of the maker note; empty when it has no fixed place.
        private var reserved = 0..<0

        static let headerByteCount = 8
        private static let inlineByteCount = 4

        /// Bytes of an IFD: the number of its entries, at most 514, the entries, and the offset of the next IFD.
        static func byteCount(entryCount: Int) -> Int { 2 &+ entryCount &* 12 &+ 4 }

        init(order: ByteOrder) {
            self.order = order
            let mark = UInt8(ascii: order == .little ? "I" : "M")
            bytes = [[mark, mark], order.bytes(42, count: 2), order.bytes(Self.headerByteCount, count: 4)].flatMap {
                $0
            }
        }

        /// Keeps a place for the maker note, unless its value is in its entry, or IFD0, which has `after` bytes, reaches
        /// it.
        ///
        /// - Parameter offset: The offset in the source, which has fewer than 2^62 bytes, as all sums here have.
        mutating func reserve(_ offset: Int, byteCount: Int, after: Int) {
            guard byteCount > Self.inlineByteCount, offset >= Self.headerByteCount &+ after else { return }
            var cursor = ByteCursor(0..<max(0, offset &+ byteCount))
            cursor.skip(FileNumber(offset))
            reserved = cursor.rest
            grow(to: reserved.upperBound)
        }

        /// Returns the offset of `count` new bytes, at a word boundary (TIFF 6.0, section 2).
        mutating func allocate(_ count: Int) -> Int {
            var start = next &+ next % 2
            if start < reserved.upperBound, start &+ count > reserved.lowerBound {
                start = reserved.upperBound &+ reserved.upperBound % 2
            }
            next = start &+ count
            grow(to: next)
            return start
        }

        /// Writes an IFD, sorted by tags, at the offset that ``allocate(_:)`` returned for it, and its values.
        ///
        /// - Parameter hasReservedNote: True for the IFD whose maker note has the reserved place.
        mutating func write(_ entries: [Entry], at offset: Int, hasReservedNote: Bool) {
            var at = offset
            put(order.bytes(entries.count, count: 2), &at)
            for entry in entries.sorted(by: { $0.tag < $1.tag }) {
                put(order.bytes(entry.tag, count: 2), &at)
                put(order.bytes(entry.type, count: 2), &at)
                put(order.bytes(entry.count, count: 4), &at)
                if entry.value.count <= Self.inlineByteCount {
                    var field = entry.value
                    while field.count < Self.inlineByteCount { field.append(0) }
                    put(field, &at)
                } else {
                    let isReserved =
                        hasReservedNote && entry.tag == Tag.makerNote && entry.value.count == reserved.count
                    var target = isReserved ? reserved.lowerBound : allocate(entry.value.count)
                    put(order.bytes(target, count: 4), &at)
                    put(entry.value, &target)
                }
            }
            // The offset of the next IFD remains 0: IFD1 contains the thumbnail.
        }

        /// Overwrites bytes, and appends zeros before them where the block ends earlier.
        private mutating func put(_ value: [UInt8], _ at: inout Int) {
            grow(to: at &+ value.count)
            var cursor = ByteCursor(bytes.span)
            guard cursor.move(to: FileNumber(at)), let range = cursor.take(FileNumber(value.count)) else { return }
            bytes.replaceSubrange(range, with: value)  // trap-free: the cursor has compared the range
            at = range.upperBound
        }

        private mutating func grow(to count: Int) {
            guard bytes.count < count else { return }
            bytes.append(contentsOf: repeatElement(0, count: count &- bytes.count))
        }
    }
}
