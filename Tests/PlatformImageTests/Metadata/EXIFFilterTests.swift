import PlatformImage
import Testing

@Suite struct EXIFFilterTests {
    private static func filtered(
        _ block: [UInt8], _ policy: MetadataPolicy, hasProfile: Bool = false
    ) -> [UInt8]? {
        ImageMetadata(exif: block).filtered(by: policy, width: 320, height: 240, hasProfile: hasProfile).exif
    }

    @Test(arguments: MetadataPolicy.allCases, [true, false])
    func everyPolicyKeepsItsTagsInBothByteOrders(_ policy: MetadataPolicy, little: Bool) throws {
        let expected: (first: [Int], camera: [Int], gps: [Int])? =
            switch policy {
            case .copyright: ([315, 33432], [], [])
            case .withoutLocation:
                ([271, 282, 315, 33432, 34665], [33434, 36867, 40961, 40962, 40963], [])
            case .all:
                (
                    [271, 282, 315, 33432, 34665, 34853], [33434, 36867, 37500, 37893, 40961, 40962, 40963],
                    [0, 1, 2]
                )
            default: nil
            }

        let block = Self.filtered(MetadataBlocks.exif(little: little), policy)

        let exif = block.map { NaiveEXIF($0) }
        #expect(exif?.first.keys.sorted() == expected?.first)
        #expect(exif?.camera.keys.sorted() == expected?.camera)
        #expect(exif?.gps.keys.sorted() == expected?.gps)
        #expect(exif?.next ?? 0 == 0)
        if policy == .strip { #expect(block == nil) }
    }

    @Test(arguments: Array(0...9) + [65_535], [MetadataPolicy.copyright, .withoutLocation, .all])
    func noPolicyKeepsAnOrientation(_ orientation: Int, _ policy: MetadataPolicy) throws {
        let block = try #require(Self.filtered(MetadataBlocks.exif(orientation: orientation), policy))

        #expect(EXIF(block)?.orientation == nil)
        #expect(EXIF(block)?.isDamaged == false)
        #expect(EXIF(block)?.thumbnailRange == nil)
    }

    @Test(arguments: [true, false])
    func sizeAndColorSpaceAreThoseOfTheNewImage(hasProfile: Bool) throws {
        let exif = NaiveEXIF(try #require(Self.filtered(MetadataBlocks.exif(), .all, hasProfile: hasProfile)))

        #expect(exif.number(try #require(exif.camera[40962]), 0, 4) == 320)
        #expect(exif.number(try #require(exif.camera[40963]), 0, 4) == 240)
        #expect(exif.number(try #require(exif.camera[40961]), 0, 2) == (hasProfile ? 65_535 : 1))
    }

    @Test(arguments: [true, false])
    func valuesAreCopiedAndTheMakerNoteKeepsItsOffset(little: Bool) throws {
        let block = MetadataBlocks.exif(little: little)
        let (before, after) = (NaiveEXIF(block), NaiveEXIF(try #require(Self.filtered(block, .all))))

        #expect(after.makerNoteOffset == before.makerNoteOffset)
        for tag in [271, 282, 315, 33432] { #expect(after.first[tag] == before.first[tag]) }
        for tag in [33434, 36867, 37500, 37893] { #expect(after.camera[tag] == before.camera[tag]) }
        #expect(after.gps == before.gps)
    }

    @Test func removedValuesAreNotInTheBlock() throws {
        let exif = MetadataBlocks.exif()
        let values = [Array("THUMBNAIL".utf8), MetadataBlocks.makerNote, NaiveEXIF(exif).gps[2] ?? []]

        let block = try #require(Self.filtered(exif, .withoutLocation))

        for value in values { #expect(!block.contains(value)) }
    }

    @Test func filterOfAFilteredBlockChangesNothing() throws {
        for policy in [MetadataPolicy.copyright, .withoutLocation, .all] {
            let block = try #require(Self.filtered(MetadataBlocks.exif(), policy))

            #expect(Self.filtered(block, policy) == block)
        }
    }

    @Test(arguments: [true, false])
    func blockCutAtEveryByteIsFilteredWithoutItsLocation(little: Bool) {
        let block = MetadataBlocks.exif(little: little)
        let position = NaiveEXIF(block).gps[2] ?? []
        for count in 0...block.count {
            for policy in MetadataPolicy.allCases {
                let result = Self.filtered(Array(block[..<count]), policy)
                if let result { #expect(EXIF(result)?.isDamaged == false, "\(count) bytes") }
                if let result, policy == .withoutLocation { #expect(!result.contains(position)) }
            }
        }
    }

    @Test func everyByteReplacedGivesAValidBlockWithoutOrientation() {
        let block = MetadataBlocks.exif()
        for index in block.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var changed = block
                changed[index] = value
                guard let result = Self.filtered(changed, .all) else { continue }
                #expect(EXIF(result)?.isDamaged == false, "byte \(index) = \(value)")
                #expect(EXIF(result)?.orientation == nil, "byte \(index) = \(value)")
                #expect(result.count <= block.count * 2)
            }
        }
    }

    @Test(arguments: [8, 0, 7, 0xFFFF_FFFF])
    func cyclicAndInvalidIFDPointersAreIgnored(offset: Int) throws {
        let pointers = [34665, 34853].map { MetadataBlocks.Entry($0, 4, MetadataBlocks.bytes(offset, 4, true)) }
        let block = MetadataBlocks.exif(little: true, first: [.text(315, "Artist")] + pointers)

        let exif = NaiveEXIF(try #require(Self.filtered(block, .all)))

        #expect(exif.first.keys.sorted() == [315])
    }

    @Test func overlappingValuesDoNotMultiplyTheBlock() throws {
        // 400 entries with the same value of 40,000 bytes.
        var table: [UInt8] = []
        for index in 0..<400 {
            table += MetadataBlocks.bytes(40_000 + index, 2, true) + [7, 0]
            table += MetadataBlocks.bytes(40_000, 4, true) + MetadataBlocks.bytes(5_000, 4, true)
        }
        var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + MetadataBlocks.bytes(400, 2, true) + table
        block += [UInt8](repeating: 7, count: 45_000 - block.count)

        let result = Self.filtered(block, .all) ?? []

        #expect(result.count < 2 * block.count)
    }
}
