// libFuzzer target for reading, filtering and writing of EXIF, XMP and IPTC. The first byte selects the block that the
// other bytes are, or that is built from them: lists of entries, names and data sets that the filters know. SwiftPM
// renames the function `main` of an executable, so this file calls `LLVMFuzzerRunDriver` explicitly.

import PlatformImage

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// MARK: Builders

/// Tags with a meaning for the reader or the writer, and others.
let tags: [Int] = [
    254, 256, 270, 271, 273, 274, 279, 282, 283, 288, 296, 305, 306, 315, 324, 330, 400, 513, 514, 519, 700, 33432,
    33434, 33723, 34377, 34665, 34853, 36867, 37121, 37396, 37500, 37510, 40961, 40962, 40963, 40965, 41492, 42240,
    59932, 59933, 0, 1, 2, 29, 31, 65535,
]
let types = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 129, 0, 255]
let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8]

func number(_ value: Int, _ count: Int, _ isLittle: Bool) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittle ? bytes : bytes.reversed()
}

/// A block whose entries have 5 bytes of the input each: IFD and place of the value, tag, type, count and offset.
func exif(_ input: [UInt8]) -> [UInt8] {
    var rest = input[...]
    let isLittle = rest.popFirst() ?? 0 < 128
    var tables: [[[UInt8]]] = [[], [], []]
    var values: [UInt8] = []
    // The IFDs have fixed places with room for 40 entries, and the values follow them.
    let (tableBytes, valuesAt) = (2 + 40 * 12 + 4, 8 + 3 * (2 + 40 * 12 + 4))
    func pointer(_ tag: Int, _ table: Int) -> [UInt8] {
        number(tag, 2, isLittle) + number(4, 2, isLittle) + number(1, 4, isLittle)
            + number(8 + table * tableBytes, 4, isLittle)
    }
    while let place = rest.popFirst(), let tag = rest.popFirst(), let type = rest.popFirst(),
        let count = rest.popFirst(), let offset = rest.popFirst()
    {
        let table = Int(place % 3)
        guard tables[table].count < 36 else { continue }
        let kind = types[Int(type) % types.count]
        let count = place & 64 == 0 ? Int(count) : Int(count) << 8
        let byteCount = count * (sizes[kind] ?? 1)
        let field: [UInt8]
        if place & 128 != 0 {
            field = number(Int(offset) << (place & 32 == 0 ? 0 : 4), 4, isLittle)  // overlaps tables and values
        } else if byteCount <= 4 {
            field = [UInt8](repeating: offset, count: 4)
        } else {
            field = number(valuesAt + values.count, 4, isLittle)
            values += [UInt8](repeating: offset, count: byteCount)
        }
        tables[table].append(
            number(tags[Int(tag) % tags.count], 2, isLittle) + number(kind, 2, isLittle) + number(count, 4, isLittle)
                + field)
    }
    tables[0] += [pointer(34665, 1), pointer(34853, 2)]
    let mark: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
    let header = mark + number(42, 2, isLittle) + number(8, 4, isLittle)
    let all = tables.map { entries in
        let table = number(entries.count, 2, isLittle) + entries.flatMap { $0 } + [0, 0, 0, 0]
        return table + [UInt8](repeating: 0, count: tableBytes - table.count)
    }
    return header + all.flatMap { $0 } + values
}

/// Parts of XMP, of which each byte selects one.
let parts = [
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">", "</x:xmpmeta>", "</rdf:RDF>", "</rdf:Description>", "</dc:a>", "/>", ">",
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">", "<rdf:Description", "<dc:a", "<exif:a",
    " xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", " xmlns:exif='http://ns.adobe.com/exif/1.0/'", " xmlns=''",
    " xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\"", "<lr:hierarchicalSubject>", "</lr:hierarchicalSubject>",
    " dc:rights=\"a\"", " exif:GPSLatitude='1'", " tiff:Orientation=\"6\"",
    " xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\"",
    "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>", "<?xpacket end=\"w\"?>", "<?a?>", "<!-- a -->",
    "<![CDATA[a]]>", "text", " ", "\n", "<", "&amp;", "\u{FEFF}", "\u{E9}", "\"", "'", "=", ":",
]

func xmp(_ input: [UInt8]) -> [UInt8] { input.flatMap { Array(parts[Int($0) % parts.count].utf8) } }

/// Data sets of 4 bytes of the input each: record, number, length and the form of the length.
func iptc(_ input: [UInt8]) -> [UInt8] {
    var (rest, sets): (ArraySlice<UInt8>, [UInt8]) = (input[...], [])
    while let record = rest.popFirst(), let set = rest.popFirst(), let count = rest.popFirst(),
        let form = rest.popFirst()
    {
        sets += [0x1C, record % 10, set]
        switch form % 8 {
        case 0: sets += [0x80, 4, 0, 0, 0, count]
        case 1: sets += [0x80, form, 0x7F, 0xFF, 0xFF, count]
        case 2: sets += [0xFF, 0xFF]
        case 3: sets += [0x80, 1, count]
        default: sets += [0, count]
        }
        sets += [UInt8](repeating: 65 + count % 26, count: Int(count))
    }
    return sets
}

// MARK: Test

let bitmap = Bitmap(width: 1, height: 1) { pixels in for at in 0..<pixels.count { pixels[at] = 255 } }

/// Writes the metadata to a file of each format, and reads it again.
func check(_ metadata: ImageMetadata) {
    for policy in [MetadataPolicy.copyright, .withoutLocation, .all] {
        var encoder = ImageEncoder()
        encoder.options.metadata = metadata
        encoder.options.metadataPolicy = policy
        for format in [EncodedFormat.png, .jpeg, .webp] {
            guard let file = try? encoder.encode(bitmap, as: format),
                let written = try? ImageDecoder().metadata(of: file)
            else { preconditionFailure("the file is not written or not read") }
            precondition(written.xmp?.count ?? 0 <= metadata.xmp?.count ?? 0)
            precondition(written.iptc?.count ?? 0 <= metadata.iptc?.count ?? 0)
            if let block = written.exif {
                guard let exif = EXIF(block) else { preconditionFailure("the written EXIF has no header") }
                precondition(!exif.isDamaged && exif.orientation == nil && exif.thumbnailRange == nil)
            }
            // Written metadata is kept unchanged when it is written again.
            encoder.options.metadata = written
            guard let again = try? encoder.encode(bitmap, as: format) else { preconditionFailure("not written again") }
            precondition((try? ImageDecoder().metadata(of: again)) == written)
            encoder.options.metadata = metadata
        }
    }
}

func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    guard let first = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    switch first % 6 {
    case 0: check(ImageMetadata(exif: input))
    case 1: check(ImageMetadata(exif: exif(input)))
    case 2: check(ImageMetadata(xmp: input))
    case 3: check(ImageMetadata(xmp: xmp(input)))
    case 4: check(ImageMetadata(exif: exif(input), iptc: input))
    default: check(ImageMetadata(iptc: iptc(input)))
    }
    return 0
}

@main struct FuzzMetadata {
    static func main() {
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
