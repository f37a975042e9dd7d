import PlatformImage
import PlatformImageTestSupport
import Testing

/// The order of TIFF pages, SubIFDs and reduced-resolution images.
@Suite struct TIFFPageTests {
    @Test(.requirement("B11"), arguments: PagedTIFF.Kind.allCases)
    func firstFullResolutionImageIsPageZero(kind: PagedTIFF.Kind) throws {
        let file = PagedTIFF(kind, [.init(2, type: 1), .init(8), .init(3, type: 1), .init(9)])

        try expectWidths([8, 9, 2, 3], file)
    }

    @Test(.requirement("B11"), arguments: PagedTIFF.Kind.allCases)
    func fullResolutionSubIFDOfAReducedImageIsPageZero(kind: PagedTIFF.Kind) throws {
        let file = PagedTIFF(kind, [.init(2, type: 1, subs: [.init(8), .init(4, type: 1)]), .init(9)])

        try expectWidths([8, 9, 2, 4], file)
        let pages = try ImageDecoder().header(of: file.bytes).pages
        #expect(pages.map(\.isReduced) == [false, false, true, true])
        #expect(pages.map(\.isSubIFD) == [true, false, false, true])
        #expect(pages.map(\.height) == [1, 1, 1, 1])
    }

    @Test(.requirement("B11"), arguments: PagedTIFF.Kind.allCases)
    func subIFDsFollowTheirPage(kind: PagedTIFF.Kind) throws {
        let pyramid: [PagedTIFF.Page] = [
            .init(8, subs: [.init(4, type: 1, subs: [.init(2, type: 1)]), .init(7)]), .init(9, oldType: 2), .init(6),
        ]

        try expectWidths([8, 7, 6, 4, 2, 9], PagedTIFF(kind, pyramid))
    }

    @Test(.requirement("B11")) func sensorSamplesAreNotPageZero() throws {
        let raw = PagedTIFF(.little, [.init(2, type: 1, subs: [.init(8, photometric: 32_803)])])

        let header = try ImageDecoder().header(of: raw.bytes)

        #expect(header.width == 2 && header.pages.map(\.width) == [2, 8])
    }

    @Test(.requirement("B11")) func pagesWithoutKindsKeepTheOrderOfTheFile() throws {
        try expectWidths([3, 1, 2], PagedTIFF(.little, [.init(3), .init(1), .init(2)]))
        try expectWidths([3, 1, 2], PagedTIFF(.little, [.init(3, type: 1), .init(1, type: 1), .init(2, type: 1)]))
    }

    @Test(.requirement("B11")) func thumbnailsAndFramesUseTheSamePage() throws {
        let bytes = PagedTIFF(.little, [.init(2, type: 1, subs: [.init(40)])]).bytes
        let options = ThumbnailOptions(width: 30, height: 30)

        let image = try ImageDecoder().thumbnail(of: bytes, options: options)

        #expect(image.bitmap.width == 30 && image.bitmap[0, 0].red == 40)
        #expect(try ImageDecoder().frames(of: bytes).header.width == 40)
    }

    @Test(.requirement("B11"), arguments: [0, 1, 2]) func cyclesOfSubIFDsEnd(target: Int) throws {
        var file = PagedTIFF(.little, [.init(5, subs: [.init(4, type: 1, subs: [.init(3, type: 1)])])])
        // The innermost SubIFD contains a pointer to itself, to its parent or to the first IFD.
        file.redirectsInnermost(to: target)

        try expectWidths([5, 4, 3], file)
    }

    @Test(.requirement("B11")) func invalidSubIFDsAreIgnored() throws {
        for offset in [0, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            let header = try ImageDecoder().header(of: PagedTIFF(.little, [.init(5, pointers: [offset])]).bytes)

            #expect(header.width == 5 && header.frameCount ?? 0 >= 1, "\(offset)")
        }
    }

    @Test(.requirement("B11")) func moreSubIFDsThanTheLimitGiveNoPageCount() throws {
        let bytes = PagedTIFF(.little, [.init(5, subs: (1...20).map { .init($0) })]).bytes
        var options = DecodeOptions()
        options.limits.maxPages = 8

        let header = try ImageDecoder(options: options).header(of: bytes)

        #expect(header.width == 5 && header.frameCount == nil && header.pages.isEmpty)
        #expect(try ImageDecoder().header(of: bytes).frameCount == 21)
    }

    @Test(.requirement("B11")) func metadataOfASubIFDIsThatOfItsPage() throws {
        let bytes = PagedTIFF(.little, [.init(2, type: 1, subs: [.init(8)], make: "Maker")]).bytes

        #expect(try ImageDecoder().exif(of: bytes)?.make == "Maker")
    }

    /// Every page is one row of gray samples whose value is the width.
    private func expectWidths(
        _ widths: [Int], _ file: PagedTIFF, at location: SourceLocation = #_sourceLocation
    ) throws {
        let header = try ImageDecoder().header(of: file.bytes)
        #expect(header.frameCount == widths.count, sourceLocation: location)
        #expect(header.pages.map(\.width) == widths, sourceLocation: location)
        for (page, width) in widths.enumerated() {
            var options = DecodeOptions()
            options.page = page
            let image = try ImageDecoder(options: options).decode(file.bytes)
            #expect(image.bitmap.width == width && Int(image.bitmap[0, 0].red) == width, sourceLocation: location)
        }
    }
}

/// A TIFF with several IFDs and SubIFDs.
struct PagedTIFF {
    enum Kind: CaseIterable, Sendable { case little, big, bigTIFF }

    /// One row of gray samples.
    struct Page: Sendable {
        var width: Int
        var type: Int?
        var oldType: Int?
        var photometric: Int
        var subs: [Page]
        var pointers: [Int]
        var make: String?

        init(
            _ width: Int, type: Int? = nil, oldType: Int? = nil, photometric: Int = 1, subs: [Page] = [],
            pointers: [Int] = [], make: String? = nil
        ) {
            (self.width, self.type, self.oldType, self.photometric) = (width, type, oldType, photometric)
            (self.subs, self.pointers, self.make) = (subs, pointers, make)
        }
    }

    private(set) var bytes: [UInt8]
    private let kind: Kind
    /// Offsets of the IFDs in the order in which they were written: SubIFDs before their parents.
    private var directories: [Int] = []
    /// Positions of the first values of SubIFDs entries, in the same order; nil without the entry.
    private var subPointers: [Int?] = []

    init(_ kind: Kind, _ pages: [Page]) {
        self.kind = kind
        bytes = kind == .big ? [0x4D, 0x4D] : [0x49, 0x49]
        bytes += Self.number(kind == .bigTIFF ? 43 : 42, 2, kind)
        if kind == .bigTIFF { bytes += Self.number(8, 2, kind) + Self.number(0, 2, kind) }
        var link = bytes.count
        bytes += Self.number(0, offsetSize, kind)
        for page in pages {
            let (offset, next) = write(page)
            put(offset, at: link)
            link = next
        }
    }

    /// Adds a SubIFDs pointer from the IFD that was written first to another one, by the order of writing.
    mutating func redirectsInnermost(to target: Int) {
        // A reduced image without SubIFDs has the tag with the offset 0.
        guard let pointer = subPointers[0] else { return }
        put(directories[min(target, directories.count - 1)], at: pointer)
    }

    private var offsetSize: Int { kind == .bigTIFF ? 8 : 4 }

    private mutating func put(_ value: Int, at position: Int) {
        bytes.replaceSubrange(position..<position + offsetSize, with: Self.number(value, offsetSize, kind))
    }

    private mutating func write(_ page: Page) -> (offset: Int, next: Int) {
        let subs = page.subs.map { write($0).offset } + page.pointers
        let strip = bytes.count
        bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: page.width), count: page.width)
        var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []
        func add(_ tag: Int, _ value: Int) { entries.append((tag, 4, 1, Self.number(value, 4, kind))) }
        if let type = page.type { add(254, type) }
        if let type = page.oldType { entries.append((255, 3, 1, Self.number(type, 2, kind))) }
        add(256, page.width)
        add(257, 1)
        entries.append((258, 3, 1, Self.number(8, 2, kind)))
        entries.append((259, 3, 1, Self.number(1, 2, kind)))
        entries.append((262, 3, 1, Self.number(page.photometric, 2, kind)))
        if let make = page.make {
            entries.append((271, 2, make.utf8.count + 1, Array(make.utf8) + [0]))
        }
        add(273, strip)
        entries.append((277, 3, 1, Self.number(1, 2, kind)))
        add(278, 1)
        add(279, page.width)
        let isLinked = !subs.isEmpty || page.type == 1
        if isLinked {
            let type = kind == .bigTIFF ? 18 : 13
            let values = subs.isEmpty ? [0] : subs
            entries.append((330, type, values.count, values.flatMap { Self.number($0, offsetSize, kind) }))
        }
        for index in entries.indices where entries[index].value.count > offsetSize {
            let offset = bytes.count
            bytes += entries[index].value
            entries[index].value = Self.number(offset, offsetSize, kind)
        }
        if bytes.count % 2 != 0 { bytes.append(0) }
        let start = bytes.count
        directories.append(start)
        subPointers.append(nil)
        bytes += Self.number(entries.count, kind == .bigTIFF ? 8 : 2, kind)
        for entry in entries {
            bytes += Self.number(entry.tag, 2, kind) + Self.number(entry.type, 2, kind)
            bytes += Self.number(entry.count, offsetSize, kind)
            if entry.tag == 330, subs.isEmpty { subPointers[subPointers.count - 1] = bytes.count }
            bytes += entry.value + [UInt8](repeating: 0, count: offsetSize - entry.value.count)
        }
        bytes += Self.number(0, offsetSize, kind)
        return (start, bytes.count - offsetSize)
    }

    private static func number(_ value: Int, _ count: Int, _ kind: Kind) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return kind == .big ? little.reversed() : little
    }
}
