import PlatformImage
import Testing

@Suite struct IPTCFilterTests {
    private static func numbers(_ records: [UInt8]?) -> [[UInt8]] {
        var (numbers, at): ([[UInt8]], Int) = ([], 0)
        let records = records ?? []
        while at + 5 <= records.count {
            numbers.append([records[at + 1], records[at + 2]])
            at += 5 + Int(records[at + 3]) << 8 + Int(records[at + 4])
        }
        return numbers
    }

    private static func filtered(_ records: [UInt8], _ policy: MetadataPolicy) -> [UInt8]? {
        ImageMetadata(iptc: records).filtered(by: policy, width: 1, height: 1).iptc
    }

    @Test(
        arguments: [
            (MetadataPolicy.strip, []), (.copyright, [[1, 90], [2, 0], [2, 80], [2, 116]]),
            (.withoutLocation, [[1, 90], [2, 0], [2, 80], [2, 116], [2, 120]]),
            (.all, [[1, 90], [2, 0], [2, 80], [2, 90], [2, 101], [2, 116], [2, 120]]),
        ] as [(MetadataPolicy, [[UInt8]])])
    func everyPolicyKeepsItsDataSets(_ policy: MetadataPolicy, expected: [[UInt8]]) {
        #expect(Self.numbers(Self.filtered(MetadataBlocks.iptc, policy)) == expected)
    }

    @Test func recordsCutAtEveryByteKeepTheCompleteDataSets() {
        let records = MetadataBlocks.iptc
        for count in 0..<records.count {
            let result = Self.filtered(Array(records[..<count]), .all) ?? []
            #expect(Self.filtered(records, .all)?.starts(with: result) == true, "\(count) bytes")
        }
    }

    @Test func extendedDataSetIsCopied() {
        let value = [UInt8](repeating: 65, count: 40_000)
        let set: [UInt8] = [0x1C, 2, 120, 0x80, 4] + MetadataBlocks.bytes(40_000, 4, false) + value

        #expect(Self.filtered(set, .all) == set)
        #expect(Self.filtered(Array(set.dropLast()), .all) == nil)
    }

    @Test func recordsWithFormalDataSetsAloneAreOmitted() {
        let records = MetadataBlocks.dataSet(2, 0, [0, 4]) + MetadataBlocks.dataSet(2, 90, Array("Paris".utf8))

        #expect(Self.filtered(records, .withoutLocation) == nil)
        #expect(Self.filtered(records, .copyright) == nil)
    }
}
