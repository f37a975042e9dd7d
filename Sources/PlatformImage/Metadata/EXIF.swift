/// The EXIF fields used for display: from IFD0, IFD1 (the thumbnail) and the Exif IFD.
///
/// The parser is bounded and not recursive: at most 512 entries per IFD, every offset and count checked against the
/// block, tags with a wrong type or count ignored (EXIF 2.32, section 4.6).
public struct EXIF: Hashable, Sendable {
    /// Orientation (tag 274), from the first entry that has this tag, type SHORT and one value; nil when there is no
    /// such entry or its value is outside 1...8.
    public private(set) var orientation: Orientation?
    /// XResolution (tag 282), in pixels per ``resolutionUnit``; nil when absent or invalid.
    public private(set) var xResolution: Double?
    /// YResolution (tag 283), in pixels per ``resolutionUnit``; nil when absent or invalid.
    public private(set) var yResolution: Double?
    /// ResolutionUnit (tag 296): 2 for inch, 3 for centimetre; nil when absent or invalid, which means inch.
    public private(set) var resolutionUnit: Int?
    /// ColorSpace (tag 40961): 1 for sRGB, 65,535 for uncalibrated; not used for colour conversion. Nil when
    /// absent or invalid.
    public private(set) var colorSpace: Int?
    /// The byte range of the embedded JPEG thumbnail, from the start of the EXIF block; nil when none is inside it.
    public private(set) var thumbnailRange: Range<Int>?
    /// True when an IFD, the type or count of the orientation, or the range of the thumbnail was invalid and ignored.
    public private(set) var isDamaged = false
    /// True when the entry that ``orientation`` is read from contains a number outside 1...8.
    public private(set) var hasInvalidOrientation = false

    /// Reads a block from an array, as the initialiser that takes a span does; nil when the block has no TIFF header.
    public init?(_ block: [UInt8]) { self.init(block.span) }

    /// Reads a block that starts with a TIFF header (`II` or `MM`, then 42); nil for other bytes.
    public init?(_ block: Span<UInt8>) {
        guard let reader = Reader(block) else { return nil }
        var thumbnailOffset: Int?
        var thumbnailLength: Int?
        var visited: [Int] = []
        // IFD0 points to the Exif IFD and to IFD1 (its next pointer); pointers of other IFDs are not followed.
        var pending: [(offset: Int, kind: Kind)] = [(reader.firstDirectory, .first)]
        while let (offset, kind) = pending.popLast() {
            guard !visited.contains(offset), let claimed = reader.integer16(at: offset) else {
                isDamaged = true
                continue
            }
            visited.append(offset)
            let entries = min(claimed, Self.maxEntries)
            if claimed > entries { isDamaged = true }
            for index in 0..<entries {
                guard let entry = reader.entry(at: offset + ByteCount.entryCount + index * ByteCount.entry) else {
                    isDamaged = true
                    break
                }
                switch (kind, entry.tag) {
                case (.first, Tag.orientation) where orientation == nil && !hasInvalidOrientation:
                    // The standard requires SHORT; LONG is rejected.
                    guard entry.type == FieldType.short, let value = reader.integer(entry) else {
                        isDamaged = true
                        continue
                    }
                    orientation = UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
                    hasInvalidOrientation = orientation == nil
                case (.first, Tag.xResolution): xResolution = reader.rational(entry)
                case (.first, Tag.yResolution): yResolution = reader.rational(entry)
                case (.first, Tag.resolutionUnit): resolutionUnit = reader.integer(entry)
                case (.first, Tag.exifIFDPointer): reader.integer(entry).map { pending.append(($0, .exif)) }
                case (.exif, Tag.colorSpace): colorSpace = reader.integer(entry)
                case (.thumbnail, Tag.jpegInterchangeFormat): thumbnailOffset = reader.integer(entry)
                case (.thumbnail, Tag.jpegInterchangeFormatLength): thumbnailLength = reader.integer(entry)
                default: break
                }
            }
            let end = offset + ByteCount.entryCount + claimed * ByteCount.entry
            if kind == .first, let next = reader.integer32(at: end), next != 0 {
                pending.append((next, .thumbnail))
            }
        }
        if let start = thumbnailOffset, let length = thumbnailLength, length > 0 {
            if start <= block.count, length <= block.count - start {
                thumbnailRange = start..<start + length
            } else {
                isDamaged = true
            }
        }
    }

    private static let maxEntries = 512

    /// Tags of TIFF 6.0 and EXIF 2.32.
    private enum Tag {
        static let orientation = 274
        static let xResolution = 282
        static let yResolution = 283
        static let resolutionUnit = 296
        static let jpegInterchangeFormat = 513
        static let jpegInterchangeFormatLength = 514
        static let exifIFDPointer = 34665
        static let colorSpace = 40961
    }

    /// Types of TIFF 6.0, section 2.
    private enum FieldType {
        static let short = 3
        static let long = 4
        static let rational = 5
    }

    /// The sizes of TIFF's structures, in bytes.
    private enum ByteCount {
        static let header = 8
        static let entryCount = 2
        static let entry = 12
    }

    /// The version number that follows the byte order mark.
    private static let tiffVersion = 42

    private enum Kind { case first, exif, thumbnail }

    private struct Entry {
        let tag, type, count: Int
        let valueOffset: Int
    }

    /// Bounded reads in the block's byte order. Offsets are 32-bit numbers in a 64-bit `Int`: sums cannot overflow.
    private struct Reader {
        let block: [UInt8]
        let isLittle: Bool
        var firstDirectory: Int { integer32(at: 4) ?? 0 }

        init?(_ bytes: Span<UInt8>) {
            guard bytes.count >= ByteCount.header else { return nil }
            switch (bytes[0], bytes[1]) {
            case (UInt8(ascii: "I"), UInt8(ascii: "I")): isLittle = true
            case (UInt8(ascii: "M"), UInt8(ascii: "M")): isLittle = false
            default: return nil
            }
            block = [UInt8](bytes)
            guard integer16(at: 2) == EXIF.tiffVersion else { return nil }
        }

        func integer16(at offset: Int) -> Int? {
            guard offset >= 0, offset + 2 <= block.count else { return nil }
            let (a, b) = (Int(block[offset]), Int(block[offset + 1]))
            return isLittle ? b << 8 | a : a << 8 | b
        }

        func integer32(at offset: Int) -> Int? {
            guard let first = integer16(at: offset), let second = integer16(at: offset + 2) else { return nil }
            return isLittle ? second << 16 | first : first << 16 | second
        }

        func entry(at offset: Int) -> Entry? {
            guard let tag = integer16(at: offset), let type = integer16(at: offset + 2),
                let count = integer32(at: offset + 4), offset + ByteCount.entry <= block.count
            else { return nil }
            return Entry(tag: tag, type: type, count: count, valueOffset: offset + 8)
        }

        /// The value of an entry with one SHORT or LONG; nil for other types and counts.
        func integer(_ entry: Entry) -> Int? {
            guard entry.count == 1 else { return nil }
            switch entry.type {
            case FieldType.short: return integer16(at: entry.valueOffset)
            case FieldType.long: return integer32(at: entry.valueOffset)
            default: return nil
            }
        }

        /// The value of an entry with one RATIONAL whose denominator is not 0; nil for other entries.
        func rational(_ entry: Entry) -> Double? {
            guard entry.type == FieldType.rational, entry.count == 1, let offset = integer32(at: entry.valueOffset),
                let numerator = integer32(at: offset), let denominator = integer32(at: offset + 4), denominator != 0
            else { return nil }
            return Double(numerator) / Double(denominator)
        }
    }
}

extension [UInt8] {
    /// A copy of the span's bytes.
    init(_ span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }
}
