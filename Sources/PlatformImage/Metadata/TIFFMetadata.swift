/// Reads metadata from the tags of a TIFF or BigTIFF page.
enum TIFFMetadata {
    private enum Tag {
        static let xmp = 700
        static let iptc = 33723
        static let photoshop = 34377
    }

    /// - Parameters:
    ///   - directory: The offset of the page's IFD.
    ///   - parent: The offset of the IFD whose SubIFD the page is; its values are read where the page has none. Equal
    ///     to `directory` for other pages.
    static func read(
        _ bytes: Span<UInt8>, directory: FileNumber, parent: FileNumber, into metadata: inout ImageMetadata,
        _ limits: inout MetadataLimits
    ) {
        guard let layout = TIFFLayout(bytes) else { return }
        read(bytes, layout, directory, into: &metadata, &limits)
        if parent != directory { read(bytes, layout, parent, into: &metadata, &limits) }
    }

    /// Reads the blocks that `metadata` does not contain.
    private static func read(
        _ bytes: Span<UInt8>, _ layout: TIFFLayout, _ directory: FileNumber, into metadata: inout ImageMetadata,
        _ limits: inout MetadataLimits
    ) {
        if metadata.xmp == nil {
            metadata.xmp = limits.accept(value(Tag.xmp, bytes, layout, directory, limits.maxNext))
        }
        if metadata.iptc == nil { metadata.iptc = iptc(bytes, layout, directory, &limits) }
        guard metadata.exif == nil else { return }
        var tree = EXIFTree(bytes, layout, directory: directory, maxByteCount: limits.maxNext)
        tree.first.removeAll { !EXIFTree.descriptiveTags.contains($0.tag) }
        // The types of 64-bit offsets exist only in BigTIFF, and EXIF has no value of these types.
        tree.removeEntries { (16...18).contains($0.type) }
        // The offsets of a maker note are those of this file.
        metadata.exif = limits.accept(tree.withoutMakerNote.block)
    }

    private static func iptc(
        _ bytes: Span<UInt8>, _ layout: TIFFLayout, _ directory: FileNumber, _ limits: inout MetadataLimits
    ) -> [UInt8]? {
        var iptc = value(Tag.iptc, bytes, layout, directory, limits.maxNext)
        // With the type LONG some writers swap the bytes of the records.
        if iptc?.first != IPTCRecords.marker { iptc = nil }
        return limits.accept(
            iptc
                ?? value(Tag.photoshop, bytes, layout, directory, limits.maxNext).flatMap {
                    PhotoshopResources.iptc(in: $0.span)
                })
    }

    private static func value(
        _ tag: Int, _ bytes: Span<UInt8>, _ layout: TIFFLayout, _ directory: FileNumber, _ limit: Int
    ) -> [UInt8]? {
        guard var cursor = ByteCursor(bytes).moved(to: directory),
            let count = cursor.number(layout.entryCountByteCount, layout.order, bytes)
        else { return nil }
        for _ in 0..<max(0, count.clamped(to: 0...65_535)) {
            guard let range = cursor.take(FileNumber(layout.entryByteCount)) else { return nil }
            guard let entry = layout.entry(bytes, in: range), entry.tag == tag else { continue }
            return entry.range.count <= limit ? bytes.copy(entry.range) : nil
        }
        return nil
    }
}

extension EXIFTree {
    /// Removes the entries for which `isRemoved` is true from all IFDs.
    mutating func removeEntries(where isRemoved: (Entry) -> Bool) {
        first.removeAll(where: isRemoved)
        exif.removeAll(where: isRemoved)
        gps.removeAll(where: isRemoved)
    }
}
