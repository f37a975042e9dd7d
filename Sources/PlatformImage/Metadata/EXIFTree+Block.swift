extension EXIFTree {
    /// The tree as an EXIF block with the byte order of the source; nil when there is no entry.
    ///
    /// The maker note keeps its offset if the entries of IFD0 do not reach it, because it can contain offsets from the
    /// TIFF header.
    var block: [UInt8]? {
        guard !isEmpty else { return nil }
        var writer = Writer(order: order)
        var directories: [(entries: [Entry], pointer: Int?)] = [(first, nil)]
        if !exif.isEmpty { directories.append((exif, Tag.exifIFDPointer)) }
        if !gps.isEmpty { directories.append((gps, Tag.gpsIFDPointer)) }
        // Pointers first have the offset 0: they set the size of the IFD.
        for (_, pointer) in directories {
            guard let pointer else { continue }
            directories[0].entries.append(
                Entry(tag: pointer, type: FieldType.long, count: 1, value: [0, 0, 0, 0]))
        }
        let firstEnd = Writer.headerByteCount + Writer.byteCount(of: directories[0].entries)
        if let offset = makerNoteOffset, offset >= firstEnd,
            let note = exif.first(where: { $0.tag == Tag.makerNote })
        {
            writer.reserve(offset..<offset + note.value.count)
        }
        let offsets = directories.map { writer.allocate(Writer.byteCount(of: $0.entries)) }
        for (index, directory) in directories.enumerated() {
            let entries = directory.entries.map { entry in
                guard let target = directories.firstIndex(where: { $0.pointer == entry.tag }) else { return entry }
                return Entry(
                    tag: entry.tag, type: entry.type, count: 1, value: order.bytes(offsets[target], count: 4))
            }
            writer.write(entries.sorted { $0.tag < $1.tag }, at: offsets[index])
        }
        return writer.bytes
    }

    /// Places IFDs and values one after another, except the maker note, which has a fixed place.
    private struct Writer {
        let order: ByteOrder
        private(set) var bytes: [UInt8]
        private var next = headerByteCount
        private var reserved = 0..<0

        static let headerByteCount = 8
        private static let inlineByteCount = 4

        static func byteCount(of entries: [Entry]) -> Int { 2 + entries.count * 12 + 4 }

        init(order: ByteOrder) {
            self.order = order
            let mark = UInt8(ascii: order == .little ? "I" : "M")
            bytes = [mark, mark] + order.bytes(42, count: 2) + order.bytes(Self.headerByteCount, count: 4)
        }

        mutating func reserve(_ range: Range<Int>) {
            reserved = range
            grow(to: range.upperBound)
        }

        /// Returns the offset of `count` new bytes, at a word boundary (TIFF 6.0, section 2).
        mutating func allocate(_ count: Int) -> Int {
            var start = next + next % 2
            if start < reserved.upperBound, start + count > reserved.lowerBound {
                start = reserved.upperBound + reserved.upperBound % 2
            }
            next = start + count
            grow(to: next)
            return start
        }

        mutating func write(_ entries: [Entry], at offset: Int) {
            var at = offset
            put(order.bytes(entries.count, count: 2), &at)
            for entry in entries {
                put(order.bytes(entry.tag, count: 2) + order.bytes(entry.type, count: 2), &at)
                put(order.bytes(entry.count, count: 4), &at)
                if entry.value.count <= Self.inlineByteCount {
                    put(entry.value + [UInt8](repeating: 0, count: Self.inlineByteCount - entry.value.count), &at)
                } else {
                    let isFixed = entry.tag == Tag.makerNote && !reserved.isEmpty
                    var target = isFixed ? reserved.lowerBound : allocate(entry.value.count)
                    put(order.bytes(target, count: 4), &at)
                    put(entry.value, &target)
                }
            }
            // The offset of the next IFD remains 0: IFD1 contains the thumbnail.
        }

        private mutating func put(_ value: [UInt8], _ at: inout Int) {
            bytes.replaceSubrange(at..<at + value.count, with: value)
            at += value.count
        }

        private mutating func grow(to count: Int) {
            if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
        }
    }
}
