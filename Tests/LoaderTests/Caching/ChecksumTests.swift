import CPlatformImageChecksums
import PlatformImageTestSupport
import Testing

/// Test vectors of RFC 3720 appendix B.4, the usual check value of CRC-32C (the bytes "123456789"), and test vectors of
/// the xxHash reference implementation.
struct ChecksumTests {
    private static let ascending = (0..<32).map { UInt8($0) }

    private static let vectors: [(bytes: [UInt8], crc: UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        (ascending, 0x46DD_794E),
        (ascending.reversed(), 0x113F_DB5C),
        (Array("123456789".utf8), 0xE306_9283),
        ([], 0),
    ]

    @Test func crc32cOfPublishedTestVectorsHasThePublishedValues() {
        for (bytes, crc) in Self.vectors {
            #expect(bytes.withUnsafeBytes { pi_crc32c(0, $0.baseAddress, $0.count) } == crc)
            #expect(bytes.withUnsafeBytes { pi_crc32c_portable(0, $0.baseAddress, $0.count) } == crc)
        }
    }

    @Test func crc32cInOneCallEqualsPortableCRC32CInTwoCallsAtAnyLengthAndAlignment() {
        var random = SplitMix(seed: 1)
        let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes.withUnsafeBytes { buffer in
            for start in 0..<9 {
                for end in start..<buffer.count {
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                    let whole = pi_crc32c(0, part.baseAddress, part.count)
                    let half = part.count / 2
                    let front = pi_crc32c_portable(0, part.baseAddress, half)
                    let rest = UnsafeRawBufferPointer(rebasing: part[half...])
                    if whole != pi_crc32c_portable(front, rest.baseAddress, rest.count) {
                        Issue.record("\(start)..<\(end)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("", 0x2D06_8005_38D3_94C2 as UInt64), ("a", 0xE6C6_32B6_1E96_4E1F), ("abc", 0x78AF_5F94_892F_3950),
    ])
    func xxh3HashOfEachReferenceTestVectorHasTheReferenceValue(_ row: (String, UInt64)) {
        #expect(Array(row.0.utf8).withUnsafeBytes { pi_xxh3_64($0.baseAddress, $0.count) } == row.1)
    }
}
