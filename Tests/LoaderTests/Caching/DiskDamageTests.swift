import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Reading a damaged file returns the stored entry, the stored body with its previous header, or a miss.
struct DiskDamageTests {
    private let folder: DiskFolder
    private let cache: DiskCache
    private let key = diskKey("a.png")
    private let body: [UInt8]
    private let whole: [UInt8]

    /// Stores an entry and refreshes it once: header slot A of the file contains version 0, header slot B version 1.
    init() throws {
        folder = try DiskFolder()
        cache = folder.cache()
        body = diskBody(key, count: 40)
        cache.store(diskEntry(key), body: body)
        let hit = try #require(cache.read(key))
        #expect(cache.refresh(diskEntry(key, version: 1), of: hit.revision))
        whole = try folder.bytes(of: key)
    }

    /// The version that a read returns; nil for a miss. Any other result fails the test.
    private func readVersion(_ detail: String) -> Int? {
        guard let hit = cache.read(key) else { return nil }
        #expect(hit.body == body, "\(detail)")
        if hit.entry == diskEntry(key, version: 1) { return 1 }
        if hit.entry == diskEntry(key) { return 0 }
        Issue.record("a header that was never stored: \(detail)")
        return nil
    }

    @Test(.requirement("O50")) func entryTruncatedAtAnyLengthIsAMissAndIsRemoved() throws {
        for length in 0..<whole.count {
            try folder.replace(key, with: Array(whole.prefix(length)))
            #expect(readVersion("\(length) bytes") == nil)
            #expect(!FileManager.default.fileExists(atPath: folder.file(of: key)))
        }
    }

    @Test func entryWithTrailingBytesIsAMiss() throws {
        for extra in [1, 7, 8, 1024, 2 * 3072, 70_000] {
            try folder.replace(key, with: whole + [UInt8](repeating: 0, count: extra))
            #expect(readVersion("\(extra) trailing bytes") == nil)
        }
    }

    @Test(.requirement("O29", "O50")) func entryWithOneFlippedBitIsReadUnchangedOrWithItsOlderHeaderOrIsAMiss() throws {
        let slotB = 8 + 1024
        let payload = try #require(DiskFormat.slots(inHeader: whole, slotSize: 1024).first?.payload.count)
        for bit in 0..<(whole.count * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            try folder.replace(key, with: flipped)

            let version = readVersion("bit \(bit)")

            switch bit / 8 {
            case 0..<8: #expect(version == nil, "bit \(bit)")
            case 8..<slotB: #expect(version == 1, "bit \(bit)")
            case slotB..<(slotB + 16 + payload): #expect(version == 0, "bit \(bit)")
            // The rest of a slot after its payload is padding.
            case ..<(8 + 2048): #expect(version == 1, "bit \(bit)")
            default: #expect(version == nil, "bit \(bit)")
            }
        }
    }

    @Test func readOfAnEntryWithManyFlippedBitsNeverReturnsWrongBytes() throws {
        var random = SplitMix(seed: 4)
        for round in 0..<2_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 2...20, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            try folder.replace(key, with: damaged)
            _ = readVersion("round \(round)")
        }
    }

    @Test func entryOverwrittenWithZerosOrRandomBytesIsAMiss() throws {
        var random = SplitMix(seed: 5)
        for start in stride(from: 0, to: whole.count, by: 64) {
            let zeros = whole.prefix(start) + [UInt8](repeating: 0, count: whole.count - start)
            try folder.replace(key, with: Array(zeros))
            #expect(readVersion("zeros from byte \(start)") == nil)
            let noise =
                whole.prefix(start) + (start..<whole.count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try folder.replace(key, with: Array(noise))
            #expect(readVersion("random bytes from byte \(start)") == nil)
        }
    }

    @Test(.requirement("O48")) func entryFilesSwappedBetweenTwoKeysAreMissesAndAreRemoved() throws {
        let other = diskKey("b.png")
        cache.store(diskEntry(other), body: diskBody(other))
        let bytes = try folder.bytes(of: other)
        try folder.replace(other, with: whole)
        try folder.replace(key, with: bytes)

        #expect(cache.read(key) == nil)
        #expect(cache.read(other) == nil)
        #expect(folder.entryFiles.isEmpty)
        #expect(cache.statistics.faults == [.damagedEntry: 2])
    }

    @Test func fileOfALaterFormatVersionIsAMissAndIsRemovedOnlyByAPurge() async throws {
        var later = whole
        later[4] = 2
        try folder.replace(key, with: later)

        #expect(cache.read(key) == nil)
        #expect(try folder.bytes(of: key) == later)
        #expect(await cache.verify() == DiskCache.Verification(checked: 0, good: 0, bad: [], unread: 1))
        #expect(await cache.purge().count == 1)
        #expect(folder.entryFiles.isEmpty)
    }

    @Test func storeReplacesADamagedEntry() throws {
        try folder.replace(key, with: Array(whole.dropLast()))

        #expect(cache.store(diskEntry(key, version: 2), body: [7]))

        #expect(cache.read(key)?.entry == diskEntry(key, version: 2))
    }

    @Test func verifyReportsDamagedEntriesAndRemovesThemOnRequest() async throws {
        for index in 0..<20 {
            let key = diskKey("\(index)")
            cache.store(diskEntry(key), body: diskBody(key))
        }
        var flipped = try folder.bytes(of: diskKey("3"))
        flipped[flipped.count - 1] ^= 1
        try folder.replace(diskKey("3"), with: flipped)
        try folder.replace(diskKey("4"), with: try folder.bytes(of: diskKey("5")))

        let found = await cache.verify()
        #expect(found.checked == 21)
        #expect(found.good == 19)
        #expect(found.bad == [DiskName(diskKey("3").bytes).path, DiskName(diskKey("4").bytes).path].sorted())
        #expect(await cache.verify(removingBad: true) == found)
        let clean = await cache.verify()
        #expect(clean.checked == 19)
        #expect(clean.bad.isEmpty)
    }

    @Test(.requirement("O50")) func truncatedMetadataPayloadOfAnyLengthIsRejected() throws {
        let payload = try #require(DiskFormat.slots(inHeader: whole, slotSize: 1024).first?.payload)
        #expect(DiskMetadata(payload) != nil)
        for length in 0..<payload.count { #expect(DiskMetadata(payload.prefix(length)) == nil) }
        #expect(DiskMetadata(payload + [0]) == nil)
    }

    @Test func parsingMetadataWithAnyChangedByteDoesNotTrap() throws {
        // Calls the parser directly, without the checksums of the file.
        let payload = Array(try #require(DiskFormat.slots(inHeader: whole, slotSize: 1024).first?.payload))
        for index in payload.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = payload
                changed[index] = value
                _ = DiskMetadata(changed[...])
                if index + 1 < changed.count { changed[index + 1] = value }
                _ = DiskMetadata(changed[...])
            }
        }
    }
}
