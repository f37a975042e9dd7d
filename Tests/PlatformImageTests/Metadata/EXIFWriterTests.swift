import PlatformImage
import PlatformImageTestSupport
import Testing

/// Tags with a special meaning for the writer of EXIF, in IFDs where they have none, several times and overlapping.
@Suite(.requirement("A2")) struct EXIFWriterTests {
    private typealias Entry = MetadataBlocks.Entry

    /// Pointers, places of data, and the maker note.
    private static let pointers = [
        34665, 34853, 40965, 330, 400, 273, 279, 288, 289, 324, 325, 513, 514, 519, 520, 521,
    ]
    private static let makerNote = 37500

    private static func filtered(_ block: [UInt8]) -> [UInt8]? {
        ImageMetadata(exif: block).filtered(by: .all, width: 320, height: 240).exif
    }

    /// A block with additional entries in each IFD; `kind` is 0 for IFD0, 1 for the Exif IFD and 2 for the GPS IFD.
    private static func block(_ entries: [Entry], in kind: Int, little: Bool = true, hasNote: Bool = true) -> [UInt8] {
        let note = hasNote ? [Entry(makerNote, 7, MetadataBlocks.makerNote)] : []
        return MetadataBlocks.exif(
            little: little, first: [.text(315, "Artist of IFD0")] + (kind == 0 ? entries : []),
            camera: [.text(36867, "2026:11:28 08:00:00")] + note + (kind == 1 ? entries : []),
            gps: [.text(29, "2026:11:28")] + (kind == 2 ? entries : []))
    }

    /// The block is valid: all IFDs are found, and the values that every test writes are unchanged.
    private static func expectValid(_ block: [UInt8]?, hasNote: Bool, _ comment: Comment) throws {
        let block = try #require(block, comment)
        let exif = NaiveEXIF(block)
        #expect(EXIF(block)?.isDamaged == false, comment)
        #expect(exif.first[315] == Array("Artist of IFD0".utf8) + [0], comment)
        #expect(exif.camera[36867] == Array("2026:11:28 08:00:00".utf8) + [0], comment)
        #expect(exif.gps[29] == Array("2026:11:28".utf8) + [0], comment)
        if hasNote { #expect(exif.camera[makerNote] == MetadataBlocks.makerNote, comment) }
        #expect(exif.next == 0, comment)
    }

    @Test(arguments: 0..<3, [true, false])
    func makerNoteInAnyIFDIsWrittenAsAnotherValue(_ kind: Int, little: Bool) throws {
        for byteCount in [1, 4, 5, 22, 23, 24, 100, 5_000] where kind != 1 {
            for hasNote in [true, false] {
                let value = [UInt8](repeating: 0xA5, count: byteCount)
                let block = Self.block([Entry(Self.makerNote, 7, value)], in: kind, little: little, hasNote: hasNote)

                let result = Self.filtered(block)

                try Self.expectValid(result, hasNote: hasNote, "\(byteCount) bytes")
                let exif = NaiveEXIF(try #require(result))
                #expect((kind == 0 ? exif.first : exif.gps)[Self.makerNote] == value)
            }
        }
    }

    @Test(arguments: pointers, 0..<3)
    func pointerInAnyIFDIsNotCopied(_ tag: Int, _ kind: Int) throws {
        for (type, byteCount) in [(3, 2), (4, 4), (4, 8), (13, 4), (7, 3), (7, 100)] {
            for count in 1...2 where kind > 0 || ![34665, 34853].contains(tag) {
                let entry = Entry(tag, type, [UInt8](repeating: 1, count: byteCount))
                let block = Self.block([Entry](repeating: entry, count: count), in: kind)

                let result = Self.filtered(block)

                try Self.expectValid(result, hasNote: true, "type \(type), \(count) entries of \(byteCount) bytes")
                let exif = NaiveEXIF(try #require(result))
                let isPointer = kind == 0 && [34665, 34853].contains(tag)
                #expect(([exif.first, exif.camera, exif.gps][kind][tag] == nil) != isPointer)
            }
        }
    }

    @Test func repeatedAndOverlappingMakerNotesGiveValidBlocks() throws {
        // Two maker notes in each IFD whose values overlap IFDs, one another and the end of the block.
        for length in [5, 22, 60, 200] {
            for offset in stride(from: 0, to: 260, by: 7) {
                var block = Self.block([], in: 0)
                block += [UInt8](repeating: 0x77, count: 300)
                for index in block.indices.dropLast(12) where block[index...].starts(with: [0x7C, 0x92, 7, 0]) {
                    block.replaceSubrange(index + 4..<index + 8, with: MetadataBlocks.bytes(length, 4, true))
                    block.replaceSubrange(index + 8..<index + 12, with: MetadataBlocks.bytes(offset, 4, true))
                }

                let result = Self.filtered(block)

                try Self.expectValid(result, hasNote: false, "\(length) bytes at \(offset)")
                let note = NaiveEXIF(try #require(result)).camera[Self.makerNote]
                #expect(note == Array(block[offset..<offset + length]))
            }
        }
    }

    /// Random blocks of tags that the reader or the writer knows: the result is valid, and stays equal when it is
    /// filtered again.
    @Test func randomIFDsGiveValidBlocks() throws {
        var random = SplitMix(seed: 38)
        let tags = Self.pointers + [Self.makerNote, 274, 282, 315, 33432, 36867, 40961, 40962, 40963, 700, 37121]
        for round in 0..<3_000 {
            func entries() -> [Entry] {
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    let tag = tags.randomElement(using: &random) ?? 0
                    let type = [1, 2, 3, 4, 5, 7, 9, 13].randomElement(using: &random) ?? 1
                    let count = [1, 1, 2, 5, 60].randomElement(using: &random) ?? 1
                    let size = [3: 2, 4: 4, 5: 8, 9: 4, 13: 4][type] ?? 1
                    let value = (0..<size * count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    return Entry(tag, type, value)
                }
            }
            let little = Bool.random(using: &random)
            let block = MetadataBlocks.exif(little: little, first: entries(), camera: entries(), gps: entries())
            guard let once = Self.filtered(block) else { continue }

            #expect(EXIF(once)?.isDamaged == false, "round \(round)")
            #expect(Self.filtered(once) == once, "round \(round)")
        }
    }
}
