import PlatformImage
import Testing

@Suite struct EXIFTests {
    /// An EXIF block: IFD0 with `entries`, a second IFD with the entries `next` unless `next` is empty, then `tail`.
    private static func block(
        little: Bool = true, _ entries: [(tag: Int, type: Int, count: Int, value: Int)],
        next: [(tag: Int, type: Int, count: Int, value: Int)] = [], tail: [UInt8] = []
    ) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            let all = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return little ? all : all.reversed()
        }
        func directory(_ entries: [(tag: Int, type: Int, count: Int, value: Int)], next: Int) -> [UInt8] {
            bytes(entries.count, 2)
                + entries.flatMap { entry in
                    let value = entry.type == 3 ? bytes(entry.value, 2) + [0, 0] : bytes(entry.value, 4)
                    return bytes(entry.tag, 2) + bytes(entry.type, 2) + bytes(entry.count, 4) + value
                } + bytes(next, 4)
        }
        let second = 8 + 6 + entries.count * 12
        return (little ? [0x49, 0x49] : [0x4D, 0x4D]) + bytes(42, 2) + bytes(8, 4)
            + directory(entries, next: next.isEmpty ? 0 : second)
            + (next.isEmpty ? [] : directory(next, next: 0)) + tail
    }

    @Test(arguments: Orientation.allCases, [true, false])
    func orientationIsReadInBothByteOrders(orientation: Orientation, little: Bool) {
        let exif = EXIF(Self.block(little: little, [(274, 3, 1, Int(orientation.rawValue))]).span)

        #expect(exif?.orientation == orientation)
        #expect(exif?.isDamaged == false)
    }

    @Test(arguments: [0, 9, 65535])
    func orientationOutside1To8IsInvalid(value: Int) {
        let exif = EXIF(Self.block([(274, 3, 1, value)]).span)

        #expect(exif?.orientation == nil)
        #expect(exif?.hasInvalidOrientation == true)
    }

    @Test func firstOfSeveralOrientationEntriesIsUsed() {
        #expect(EXIF(Self.block([(274, 3, 1, 6), (274, 3, 1, 3)]).span)?.orientation == .right)
        #expect(EXIF(Self.block([(274, 3, 1, 9), (274, 3, 1, 3)]).span)?.orientation == nil)
    }

    @Test func thumbnailOfTheSecondEXIFDirectoryIsFound() {
        let exif = EXIF(
            Self.block([(274, 3, 1, 1)], next: [(513, 4, 1, 56), (514, 4, 1, 4)], tail: [1, 2, 3, 4]).span)

        #expect(exif?.thumbnailRange == 56..<60)
    }

    @Test func thumbnailRangeOutsideTheEXIFBlockIsIgnored() {
        let exif = EXIF(Self.block([], next: [(513, 4, 1, 60), (514, 4, 1, 0xFFFF_FFFF)]).span)

        #expect(exif?.thumbnailRange == nil)
        #expect(exif?.isDamaged == true)
    }

    @Test func resolutionIsReadFromARationalEntry() {
        let start = 8 + 6 + 2 * 12
        let exif = EXIF(Self.block([(282, 5, 1, start), (296, 3, 1, 2)], tail: [144, 0, 0, 0, 2, 0, 0, 0]).span)

        #expect(exif?.xResolution == 72)
        #expect(exif?.resolutionUnit == 2)
    }

    @Test func cyclicDirectoryOffsetsAreReportedAsDamage() {
        var block = Self.block([(34665, 4, 1, 8)])
        block[8 + 2 + 12] = 8  // the offset of the next directory is that of the first

        #expect(EXIF(block.span)?.isDamaged == true)
    }

    @Test func parsingTruncatedBlocksAndBlocksWithAFlippedBitDoesNotTrap() {
        let block = Self.block(
            [(274, 3, 1, 6), (34665, 4, 1, 50)], next: [(513, 4, 1, 60), (514, 4, 1, 4)], tail: [1, 2, 3, 4])

        for count in 0...block.count { _ = EXIF(Array(block.prefix(count)).span) }
        for index in block.indices {
            for bit in 0..<8 {
                var flipped = block
                flipped[index] ^= 1 << UInt8(bit)
                _ = EXIF(flipped.span)
            }
        }
    }

    @Test func onlyTheFirst512EntriesOfADirectoryAreRead() {
        let filler = (0..<512).map { _ in (tag: 1, type: 3, count: 1, value: 6) }
        let orientation = (tag: 274, type: 3, count: 1, value: 6)

        let first = EXIF(Self.block([orientation] + filler).span)
        let last = EXIF(Self.block(filler + [orientation]).span)

        #expect(first?.orientation == .right)
        #expect(last?.orientation == nil)
        #expect(first?.isDamaged == true)
    }

    @Test func orientationEntryWithATypeOtherThanShortIsIgnored() {
        let exif = EXIF(Self.block([(274, 4, 1, 6)]).span)

        #expect(exif?.orientation == nil)
        #expect(exif?.isDamaged == true)
    }
}
