extension EXIFTree {
    /// Facts about the pixels of the new file.
    struct Pixels {
        let width: Int
        let height: Int
        /// True when the file contains an ICC profile; false for sRGB.
        let hasProfile: Bool
    }

    /// The entries that a policy keeps, for a new upright image.
    func filtered(by policy: MetadataPolicy, for pixels: Pixels) -> Self {
        var tree = self
        switch policy {
        case .strip: return Self(order: order)
        case .copyright:
            tree = Self(order: order)
            tree.first = first.filter { [Tag.artist, Tag.copyright].contains($0.tag) }
            return tree
        case .withoutLocation:
            tree.first.removeAll { !Self.descriptiveTags.contains($0.tag) }
            tree.exif.removeAll { !Self.exposureTags.contains($0.tag) }
            tree.gps = []
        case .all:
            tree.first.removeAll { !Self.describesFile($0.tag) || $0.type == FieldType.directory }
            tree.exif.removeAll { Self.sourcePixelTags.contains($0.tag) || $0.type == FieldType.directory }
            tree.gps.removeAll { $0.type == FieldType.directory }
        }
        tree.exif = tree.exif.compactMap { entry in
            switch entry.tag {
            case Tag.colorSpace: short(entry.tag, pixels.hasProfile ? ColorSpace.uncalibrated : ColorSpace.sRGB)
            case Tag.pixelXDimension: long(entry.tag, pixels.width)
            case Tag.pixelYDimension: long(entry.tag, pixels.height)
            default: entry
            }
        }
        return tree
    }

    /// The tree without the maker note, which is usually the largest value.
    var withoutMakerNote: Self {
        var tree = self
        tree.removeEntries { $0.tag == Tag.makerNote }
        return tree
    }

    /// Adds Artist and Copyright where the tree has none.
    mutating func add(artist: String?, copyright: String?) {
        for (tag, text) in [(Tag.artist, artist), (Tag.copyright, copyright)] {
            guard let text, !text.isEmpty, !first.contains(where: { $0.tag == tag }) else { continue }
            let value = Array(text.utf8) + [0]
            first.append(Entry(tag: tag, type: FieldType.ascii, count: value.count, value: value))
        }
    }

    private func short(_ tag: Int, _ value: Int) -> Entry {
        Entry(tag: tag, type: FieldType.short, count: 1, value: order.bytes(value, count: 2))
    }

    private func long(_ tag: Int, _ value: Int) -> Entry? {
        guard let value = UInt32(exactly: value) else { return nil }
        return Entry(tag: tag, type: FieldType.long, count: 1, value: order.bytes(Int(clamping: value), count: 4))
    }

    /// Values of the tag ColorSpace.
    private enum ColorSpace {
        static let sRGB = 1
        static let uncalibrated = 65_535
    }

    /// Tags of IFD0 that describe the image as a work, not its storage: DocumentName, ImageDescription, Make, Model,
    /// page name, resolution, Software, DateTime, Artist, HostComputer, ratings, Copyright, and the texts of Windows.
    static let descriptiveTags: Set<Int> = [
        269, 270, 271, 272, 282, 283, 285, 296, 305, 306, Tag.artist, 316, 18246, 18249, Tag.copyright, 40091, 40092,
        40093,
        40094, 40095,
    ]

    /// Tags of EXIF 2.32 about exposure, time, camera and lens. Not listed, because they say something about the place:
    /// temperature, humidity, pressure, water depth; and everything unknown.
    static let exposureTags = Set(
        [
            33434, 33437, 34850, 34852, 34855, 34856, 36864, 36867, 36868, 36880, 36881, 36882, 37510, 37520, 37521,
            37522,
            40960, Tag.colorSpace, Tag.pixelXDimension, Tag.pixelYDimension, 41483, 41484, 41486, 41487, 41488, 41493,
            41495, 41728, 41729, 41730, 42016,
        ]
    ).union(34864...34869).union(37377...37386).union(41985...41996).union(42032...42037).union(42080...42082)

    /// Tags of the Exif IFD about the pixels of the source: ComponentsConfiguration, CompressedBitsPerPixel,
    /// SubjectArea, SubjectLocation, Gamma; and the padding of Windows.
    private static let sourcePixelTags: Set<Int> = [37121, 37122, 37396, 41492, 42240, 59932, 59933]

    /// False for tags of IFD0 about storage and colour of the source's pixels (TIFF 6.0, DNG), and about blocks that
    /// are written in other places: XMP, IPTC, Photoshop resources, ICC.
    private static func describesFile(_ tag: Int) -> Bool {
        switch tag {
        case 254...266, 273...281, 284, 288...292, 301, 317...347, 512...532, 700, 33421, 33422, 33723, 34377, 34675,
            37724,
            50706...52600, 59932, 59933:
            descriptiveTags.contains(tag)
        default: true
        }
    }
}
