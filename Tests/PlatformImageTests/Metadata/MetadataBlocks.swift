import PlatformImage

/// Builders of small EXIF, XMP and IPTC blocks, and of files that contain them.
enum MetadataBlocks {
    /// An entry of an IFD with its value in bytes.
    struct Entry {
        let tag: Int
        let type: Int
        let value: [UInt8]

        init(_ tag: Int, _ type: Int, _ value: [UInt8]) {
            self.tag = tag
            self.type = type
            self.value = value
        }
        static func text(_ tag: Int, _ text: String) -> Self { Self(tag, 2, Array(text.utf8) + [0]) }

        var count: Int { value.count / [3: 2, 4: 4, 5: 8][type, default: 1] }
    }

    static let makerNote = Array("MAKER NOTE WITH OFFSETS".utf8)
    static let artist = "Ada Lovelace"
    static let copyright = "(c) 1843 Ada Lovelace"

    /// A camera's block: IFD0, Exif IFD with maker note, GPS IFD, and IFD1 with a thumbnail.
    static func exif(little: Bool = true, orientation: Int = 6) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { bytes(value, count, little) }
        let degrees = [48, 1, 51, 1, 30, 1].flatMap { number($0, 4) }
        return exif(
            little: little,
            first: [
                .text(271, "Maker"), Entry(274, 3, number(orientation, 2)),
                Entry(282, 5, number(300, 4) + number(1, 4)), .text(315, artist), Entry(318, 5, degrees),
                .text(33432, copyright),
            ],
            camera: [
                Entry(33434, 5, number(1, 4) + number(250, 4)), .text(36867, "2026:11:23 08:00:00"),
                Entry(37396, 3, number(10, 2) + number(10, 2)), Entry(37500, 7, makerNote),
                Entry(37893, 5, number(1, 4) + number(1, 4)), Entry(40961, 3, number(65_535, 2)),
                Entry(40962, 4, number(4_000, 4)), Entry(40963, 4, number(3_000, 4)),
            ],
            gps: [Entry(0, 1, [2, 3, 0, 0]), .text(1, "N"), Entry(2, 5, degrees)], thumbnail: Array("THUMBNAIL".utf8))
    }

    static func bytes(_ value: Int, _ count: Int, _ little: Bool) -> [UInt8] {
        let all = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return little ? all : all.reversed()
    }

    /// A block whose IFDs follow one another, each with its values behind it.
    static func exif(
        little: Bool, first: [Entry], camera: [Entry] = [], gps: [Entry] = [], thumbnail: [UInt8] = []
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { bytes(value, count, little) }
        func directory(_ entries: [Entry], at offset: Int, next: Int = 0) -> [UInt8] {
            var (table, values) = (number(entries.count, 2), [UInt8]())
            let start = offset + 6 + entries.count * 12
            for entry in entries {
                table += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                if entry.value.count <= 4 {
                    table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
                } else {
                    table += number(start + values.count, 4)
                    values += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
                }
            }
            return table + number(next, 4) + values
        }
        var first = first
        if !camera.isEmpty { first.append(Entry(34665, 4, number(0, 4))) }
        if !gps.isEmpty { first.append(Entry(34853, 4, number(0, 4))) }
        let cameraAt = 8 + directory(first, at: 8).count
        let gpsAt = cameraAt + (camera.isEmpty ? 0 : directory(camera, at: cameraAt).count)
        let thumbnailAt = gpsAt + (gps.isEmpty ? 0 : directory(gps, at: gpsAt).count)
        first = first.map { entry in
            switch entry.tag {
            case 34665: Entry(34665, 4, number(cameraAt, 4))
            case 34853: Entry(34853, 4, number(gpsAt, 4))
            default: entry
            }
        }
        var block = (little ? [0x49, 0x49] : [0x4D, 0x4D]) + number(42, 2) + number(8, 4)
        block += directory(first, at: 8, next: thumbnail.isEmpty ? 0 : thumbnailAt)
        if !camera.isEmpty { block += directory(camera, at: cameraAt) }
        if !gps.isEmpty { block += directory(gps, at: gpsAt) }
        if !thumbnail.isEmpty {
            block += directory(
                [Entry(513, 4, number(thumbnailAt + 30, 4)), Entry(514, 4, number(thumbnail.count, 4))],
                at: thumbnailAt)
            block += thumbnail
        }
        return block
    }

    static let xmp = Array(
        """
        \u{FEFF}<?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="toolkit"><!-- comment -->
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
            xmlns:exif='http://ns.adobe.com/exif/1.0/' tiff:Orientation="6" tiff:Make="Maker" exif:GPSLatitude="48,51N"
            xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:v="http://vendor.example/1.0/" v:Position="48.51">
           <exif:GPSLongitude>2,21E</exif:GPSLongitude>
           <exif:PixelXDimension>4000</exif:PixelXDimension>
           <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">\(copyright)</rdf:li></rdf:Alt></dc:rights>
           <dc:description>A &lt;description&gt;</dc:description>
           <v:Place rdf:parseType="Resource"><exif:GPSAltitude>35</exif:GPSAltitude></v:Place>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        \(String(repeating: " ", count: 200))
        <?xpacket end="w"?>
        """.utf8)

    static func dataSet(_ record: UInt8, _ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        [0x1C, record, number] + bytes(value.count, 2, false) + value
    }

    static let iptc =
        dataSet(1, 90, [0x1B, 0x25, 0x47]) + dataSet(2, 0, [0, 4]) + dataSet(2, 80, Array(artist.utf8))
        + dataSet(2, 90, Array("Paris".utf8)) + dataSet(2, 101, Array("France".utf8))
        + dataSet(2, 116, Array(copyright.utf8)) + dataSet(2, 120, Array("Caption".utf8))
        + dataSet(2, 202, Array("PREVIEW".utf8)) + dataSet(8, 10, Array("OBJECT".utf8))

    static var all: ImageMetadata { ImageMetadata(exif: exif(), xmp: xmp, iptc: iptc) }

    static func photoshop(_ iptc: [UInt8]) -> [UInt8] {
        let other = Array("8BIM".utf8) + [3, 237, 3] + Array("abc".utf8) + [0, 0, 0, 3, 1, 2, 3, 0]
        return other + Array("8BIM".utf8) + [4, 4, 0, 0] + bytes(iptc.count, 4, false) + iptc
            + [UInt8](repeating: 0, count: iptc.count % 2)
    }
}

/// A naive reader of EXIF blocks, which follows every pointer without checks. Blocks in tests are short and valid.
struct NaiveEXIF {
    private(set) var first: [Int: [UInt8]] = [:]
    private(set) var camera: [Int: [UInt8]] = [:]
    private(set) var gps: [Int: [UInt8]] = [:]
    private(set) var next = 0
    private(set) var makerNoteOffset: Int?
    let little: Bool

    init(_ block: [UInt8]) {
        little = block[0] == 0x49
        first = directory(block, number(block, 4, 4))
        next = number(block, number(block, 4, 4) + 2 + first.count * 12, 4)
        if let at = first[34665] { camera = directory(block, number(at, 0, 4)) }
        if let at = first[34853] { gps = directory(block, number(at, 0, 4)) }
    }

    func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        let part = Array(bytes[at..<at + count])
        return (little ? part.reversed() : part).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func directory(_ block: [UInt8], _ at: Int) -> [Int: [UInt8]] {
        var result: [Int: [UInt8]] = [:]
        for index in 0..<number(block, at, 2) {
            let entry = at + 2 + index * 12
            let size = [3: 2, 4: 4, 5: 8][number(block, entry + 2, 2), default: 1]
            let count = number(block, entry + 4, 4) * size
            let value = count <= 4 ? entry + 8 : number(block, entry + 8, 4)
            if number(block, entry, 2) == 37500 { makerNoteOffset = value }
            result[number(block, entry, 2)] = Array(block[value..<value + count])
        }
        return result
    }
}
