/// The EXIF fields used for display: from IFD0, IFD1 (the thumbnail), and the Exif and GPS IFDs.
///
/// The parser is bounded and not recursive: at most 512 entries per IFD, every offset and count checked against the
/// block, tags with a wrong type or count ignored (EXIF 2.32, section 4.6). Texts have at most 1,000 bytes of UTF-8 and
/// no control characters.
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
    /// Make (tag 271), the manufacturer of the camera; nil when absent or blank.
    public private(set) var make: String?
    /// Model (tag 272), the model of the camera; nil when absent or blank.
    public private(set) var model: String?
    /// Software (tag 305), the program or firmware that wrote the image; nil when absent or blank.
    public private(set) var software: String?
    /// Artist (tag 315), the author; nil when absent or blank.
    public private(set) var artist: String?
    /// Copyright (tag 33432): the notice of the photographer, then that of the editor after `; `; nil when absent or
    /// blank.
    public private(set) var copyright: String?
    /// DateTimeOriginal (tag 36867), the local time of the exposure as stored, `YYYY:MM:DD HH:MM:SS` in valid files;
    /// nil when absent or unknown, that is, without a digit from 1 to 9.
    public private(set) var dateTimeOriginal: String?
    /// True when the GPS IFD contains more than its version (tag 0).
    public private(set) var hasGPS = false
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
        var thumbnailOffset: FileNumber?
        var thumbnailLength: FileNumber?
        var visited: Set<FileNumber> = []
        // IFD0 points to the Exif and GPS IFDs and to IFD1 (its next pointer); pointers of other IFDs are not followed.
        var pending: [(offset: FileNumber, kind: Kind)] = [(reader.firstDirectory(block), .first)]
        while let (offset, kind) = pending.popLast() {
            // A damaged GPS IFD has no effect on the display.
            guard visited.insert(offset).inserted, var cursor = ByteCursor(block).moved(to: offset),
                let claimed = cursor.number(2, reader.order, block)
            else {
                if kind != .gps { isDamaged = true }
                continue
            }
            if claimed > FileNumber(Self.maxEntries), kind != .gps { isDamaged = true }
            let table = cursor.position
            for _ in 0..<max(0, min(claimed.clamped(), Self.maxEntries)) {
                guard let entry = reader.entry(&cursor, block) else {
                    if kind != .gps { isDamaged = true }
                    break
                }
                switch (kind, entry.tag) {
                case (.first, Tag.orientation) where orientation == nil && !hasInvalidOrientation:
                    // The standard requires SHORT; LONG is rejected.
                    guard entry.type == FieldType.short, let value = reader.number(entry, block) else {
                        isDamaged = true
                        continue
                    }
                    orientation = value.exactly(UInt8.self).flatMap(Orientation.init(rawValue:))
                    hasInvalidOrientation = orientation == nil
                case (.first, Tag.xResolution): xResolution = reader.rational(entry, block)
                case (.first, Tag.yResolution): yResolution = reader.rational(entry, block)
                case (.first, Tag.resolutionUnit): resolutionUnit = reader.number(entry, block)?.exactly()
                case (.first, Tag.exifIFDPointer): reader.number(entry, block).map { pending.append(($0, .exif)) }
                case (.first, Tag.gpsIFDPointer): reader.number(entry, block).map { pending.append(($0, .gps)) }
                case (.first, Tag.make): make = make ?? reader.text(entry, block)
                case (.first, Tag.model): model = model ?? reader.text(entry, block)
                case (.first, Tag.software): software = software ?? reader.text(entry, block)
                case (.first, Tag.artist): artist = artist ?? reader.text(entry, block)
                case (.first, Tag.copyright): copyright = copyright ?? reader.text(entry, block, maxCount: 2)
                case (.exif, Tag.dateTimeOriginal):
                    let date = reader.text(entry, block)
                    if date?.contains(where: { $0.isASCII && $0.isNumber && $0 != "0" }) == true {
                        dateTimeOriginal = dateTimeOriginal ?? date
                    }
                case (.gps, Tag.gpsVersion): break
                case (.gps, _): hasGPS = true
                case (.exif, Tag.colorSpace): colorSpace = reader.number(entry, block)?.exactly()
                case (.thumbnail, Tag.jpegInterchangeFormat): thumbnailOffset = reader.number(entry, block)
                case (.thumbnail, Tag.jpegInterchangeFormatLength): thumbnailLength = reader.number(entry, block)
                default: break
                }
            }
            let end = claimed.timesClamped(ByteCount.entry).plusClamped(FileNumber(table))
            if kind == .first, let next = reader.order.number(4, block, at: end), next != 0 {
                pending.append((next, .thumbnail))
            }
        }
        if let start = thumbnailOffset, let length = thumbnailLength, length > 0 {
            var cursor = ByteCursor(block)
            if cursor.move(to: start), let range = cursor.take(length) {
                thumbnailRange = range
            } else {
                isDamaged = true
            }
        }
    }

    private static let maxEntries = 512

    /// Tags of TIFF 6.0 and EXIF 2.32.
    private enum Tag {
        static let gpsVersion: FileNumber = 0
        static let make: FileNumber = 271
        static let model: FileNumber = 272
        static let orientation: FileNumber = 274
        static let xResolution: FileNumber = 282
        static let yResolution: FileNumber = 283
        static let resolutionUnit: FileNumber = 296
        static let software: FileNumber = 305
        static let artist: FileNumber = 315
        static let jpegInterchangeFormat: FileNumber = 513
        static let jpegInterchangeFormatLength: FileNumber = 514
        static let copyright: FileNumber = 33432
        static let exifIFDPointer: FileNumber = 34665
        static let gpsIFDPointer: FileNumber = 34853
        static let dateTimeOriginal: FileNumber = 36867
        static let colorSpace: FileNumber = 40961
    }

    /// Types of TIFF 6.0, section 2, and of EXIF 3.0 (UTF-8).
    private enum FieldType {
        static let ascii: FileNumber = 2
        static let utf8: FileNumber = 129
        static let short: FileNumber = 3
        static let long: FileNumber = 4
        static let rational: FileNumber = 5
    }

    private enum ByteCount {
        /// Bytes of an entry: tag, type, count, and the value or its offset.
        static let entry: FileNumber = 12
    }

    /// The version number that follows the byte order mark.
    private static let tiffVersion: FileNumber = 42

    private enum Kind { case first, exif, gps, thumbnail }

    private struct Entry {
        let tag, type, count: FileNumber
        /// The position of the value or of its offset.
        let value: ByteCursor
    }

    /// Bounded reads in the block's byte order.
    private struct Reader {
        let order: ByteOrder

        init?(_ block: Span<UInt8>) {
            switch (block.byte(at: 0), block.byte(at: 1)) {
            case (UInt8(ascii: "I"), UInt8(ascii: "I")): order = .little
            case (UInt8(ascii: "M"), UInt8(ascii: "M")): order = .big
            default: return nil
            }
            guard block.count >= 8, order.number(2, block, at: 2) == EXIF.tiffVersion else { return nil }
        }

        func firstDirectory(_ block: Span<UInt8>) -> FileNumber { order.number(4, block, at: 4) ?? 0 }

        /// The next entry; nil when it is not completely inside of the block.
        func entry(_ cursor: inout ByteCursor, _ block: Span<UInt8>) -> Entry? {
            guard let tag = cursor.number(2, order, block), let type = cursor.number(2, order, block),
                let count = cursor.number(4, order, block)
            else { return nil }
            let value = cursor
            return cursor.skip(4) ? Entry(tag: tag, type: type, count: count, value: value) : nil
        }

        /// The value of an entry with one SHORT or LONG; nil for other types and counts.
        func number(_ entry: Entry, _ block: Span<UInt8>) -> FileNumber? {
            guard entry.count == 1 else { return nil }
            var value = entry.value
            switch entry.type {
            case FieldType.short: return value.number(2, order, block)
            case FieldType.long: return value.number(4, order, block)
            default: return nil
            }
        }

        /// The texts of an entry with ASCII or UTF-8, joined with `; `; nil for other types and without a text.
        func text(_ entry: Entry, _ block: Span<UInt8>, maxCount: Int = 1) -> String? {
            guard entry.type == FieldType.ascii || entry.type == FieldType.utf8, entry.count > 0 else { return nil }
            var cursor = entry.value
            if entry.count > 4 {
                guard let offset = cursor.number(4, order, block), cursor.move(to: offset) else { return nil }
            }
            guard let range = cursor.take(entry.count) else { return nil }
            let texts = EXIFText.texts(block, in: range, maxCount: maxCount)
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        }

        /// The value of an entry with one RATIONAL whose denominator is not 0; nil for other entries.
        func rational(_ entry: Entry, _ block: Span<UInt8>) -> Double? {
            var cursor = entry.value
            guard entry.type == FieldType.rational, entry.count == 1, let offset = cursor.number(4, order, block),
                cursor.move(to: offset), let numerator = cursor.number(4, order, block),
                let denominator = cursor.number(4, order, block), denominator != 0
            else { return nil }
            return numerator.double / denominator.double  // trap-free: floating-point numbers
        }
    }
}
