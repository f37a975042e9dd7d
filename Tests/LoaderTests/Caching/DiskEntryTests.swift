import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct DiskEntryTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    @Test(.requirement("O84", "O87")) func storedEntryIsReadUnchangedByItsCacheAndByASecondCacheOnTheSameFolder() {
        var entry = diskEntry(key)
        entry.response?.fields.lines.append(HeaderField("X-Latin", bytes: [0xE9, 0x00, 0xFF]))
        entry.response?.fields.lines.append(HeaderField("x-latin", bytes: []))
        entry.failure = FailureRecord(
            status: 503, attempts: 2, at: WallTime(milliseconds: -5), freshUntil: WallTime(milliseconds: .max))
        let body = diskBody(key)
        let cache = folder.cache()

        #expect(cache.store(entry, body: body))

        for cache in [cache, folder.cache()] {
            let hit = cache.read(key)
            #expect(hit?.entry == entry)
            #expect(hit?.body == body)
            #expect(cache.header(key)?.entry == entry)
            #expect(cache.header(key)?.bodyLength == body.count)
        }
    }

    @Test(arguments: [0, 1, 1_000_000])
    func bodyOfAnyLengthIsReadBackUnchanged(_ count: Int) {
        let body = diskBody(key, count: count)
        let cache = folder.cache()

        #expect(cache.store(diskEntry(key), body: body))

        #expect(cache.read(key)?.body == body)
    }

    @Test(arguments: [0, 500, 900, 940, 3_900, 16_000, 64_000])
    func headerIsStoredInAHeaderSlotOfOneOfTheFourSizesIfItFits(_ padding: Int) throws {
        let entry = diskEntry(key, padding: padding)
        let cache = folder.cache()

        #expect(cache.store(entry, body: [1, 2, 3]))

        #expect(cache.read(key)?.entry == entry)
        let length = try folder.bytes(of: key).count
        #expect(DiskFormat.slotSizes.map { 8 + 2 * $0 + 3 }.contains(length))
    }

    @Test func entryWithAHeaderTooLargeForAnySlotIsNotStoredAndTheOlderEntryIsRemoved() {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])

        #expect(!cache.store(diskEntry(key, version: 1, padding: 65_600), body: [2]))

        #expect(cache.read(key) == nil)
        #expect(folder.entryFiles.isEmpty)
        #expect(cache.statistics.faults == [.headerTooLarge: 1])
    }

    @Test(arguments: [
        "a", "A", "a?", "a?x=1&y=2", "a?y=2&x=1", "../../etc/passwd", "%2e%2e%2f", "a%2Fb", "a/b", "\u{1F34E}",
        String(repeating: "long/", count: 1_400),
    ])
    func similarURLsAndPartitionsHaveSeparateEntries(_ name: String) {
        let cache = folder.cache()
        let names = ["a", "A", "a?x", "b", "a/b", "a%2fb"]
        for (version, other) in names.enumerated() {
            cache.store(diskEntry(diskKey(other), version: version), body: diskBody(diskKey(other)))
        }
        let key = diskKey(name, partition: "own")

        #expect(cache.read(key) == nil)
        #expect(cache.store(diskEntry(key), body: [9]))

        #expect(cache.read(key)?.body == [9])
        for other in names { #expect(cache.read(diskKey(other))?.body == diskBody(diskKey(other))) }
        #expect(folder.entryFiles.count == names.count + 1)
        #expect(folder.entryFiles.allSatisfy { $0.utf8.count == 3 + 3 + 62 })
    }

    @Test func refreshRewritesTheHeaderInPlaceAndKeepsTheBody() throws {
        let cache = folder.cache()
        let body = diskBody(key)
        cache.store(diskEntry(key), body: body)
        let before = try FileManager.default.attributesOfItem(atPath: folder.file(of: key))[.systemFileNumber] as? Int

        for version in 1...5 {
            let hit = try #require(cache.read(key))
            #expect(cache.refresh(diskEntry(key, version: version), of: hit.revision))
            #expect(folder.cache().read(key)?.entry == diskEntry(key, version: version))
            #expect(cache.read(key)?.body == body)
        }

        let after = try FileManager.default.attributesOfItem(atPath: folder.file(of: key))[.systemFileNumber] as? Int
        #expect(before == after)
        #expect(cache.statistics.refreshes == 5)
    }

    @Test func refreshWithAHeaderLargerThanItsSlotKeepsTheBodyInANewFile() throws {
        let cache = folder.cache()
        let body = diskBody(key)
        cache.store(diskEntry(key), body: body)

        for padding in [500, 2_000, 10_000, 60_000] {
            let hit = try #require(cache.read(key))
            #expect(cache.refresh(diskEntry(key, padding: padding), of: hit.revision))
            #expect(cache.read(key)?.entry == diskEntry(key, padding: padding))
            #expect(cache.read(key)?.body == body)
        }

        #expect(folder.files.count == 1)
    }

    @Test func refreshAfterTheBodyWasReplacedChangesNothing() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])
        let validated = try #require(cache.read(key)).revision
        cache.store(diskEntry(key, version: 1), body: [2])

        #expect(!cache.refresh(diskEntry(key, version: 7), of: validated))

        #expect(cache.read(key)?.entry == diskEntry(key, version: 1))
        #expect(cache.read(key)?.body == [2])
    }

    @Test func refreshAfterTheEntryWasRemovedChangesNothing() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])
        let validated = try #require(cache.read(key)).revision
        cache.remove(key)

        #expect(!cache.refresh(diskEntry(key, version: 7), of: validated))

        #expect(cache.read(key) == nil)
    }

    @Test func storingAnErrorKeepsTheStoredResponseAndItsBody() throws {
        let cache = folder.cache()
        let failure = FailureRecord(status: 500, attempts: 1, at: WallTime(seconds: 5))
        cache.store(diskEntry(key), body: [1])

        #expect(cache.store(CacheEntry(key: key, failure: failure), body: []))

        var expected = diskEntry(key)
        expected.failure = failure
        #expect(cache.read(key)?.entry == expected)
        #expect(cache.read(key)?.body == [1])
    }

    @Test func errorWithoutAStoredResponseIsStoredWithItsAttemptCount() throws {
        let cache = folder.cache()
        for attempts in 1...3 {
            let failure = FailureRecord(status: 500, attempts: attempts, at: WallTime(seconds: Int64(attempts)))

            #expect(cache.store(CacheEntry(key: key, failure: failure), body: []))

            let hit = try #require(folder.cache().read(key))
            #expect(hit.entry == CacheEntry(key: key, failure: failure))
            #expect(hit.body.isEmpty)
        }
        #expect(cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key)?.entry == diskEntry(key))
    }

    @Test(.requirement("O44", "O49")) func readSetsTheModificationDateAndReadingOnlyTheHeaderDoesNot() throws {
        let clock = TestClock()
        let cache = folder.cache(clock: clock)
        cache.store(diskEntry(key), body: [1])
        func modified() throws -> Double? {
            let date =
                try FileManager.default.attributesOfItem(atPath: folder.file(of: key))[.modificationDate] as? Date
            return date?.timeIntervalSince1970
        }
        #expect(try modified() == 1_800_000_000)

        clock.advance(100)
        _ = cache.header(key)
        #expect(try modified() == 1_800_000_000)
        _ = cache.read(key)
        #expect(try modified() == 1_800_000_100)
        clock.advance(-3_000_000_000)
        _ = cache.read(key)
        #expect(try modified() == -1_199_999_900)
    }

    @Test func cacheStatisticsCountHitsMissesAndStores() async {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])
        _ = cache.read(key)
        _ = cache.read(diskKey("other"))
        await cache.flush()

        let statistics = cache.statistics
        #expect(statistics.hits == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.stores == 1)
        #expect(statistics.entries == 1)
        #expect(statistics.bytes == 8 + 2 * 1024 + 1)
        #expect(statistics.isComplete)
        #expect(statistics.faults.isEmpty)
    }

    @Test func storedFilesAndFoldersAreAccessibleOnlyByTheirOwner() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])

        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let file = folder.file(of: key)
        #expect(try mode(file) == 0o600)
        #expect(try mode(String(file.dropLast(63))) == 0o700)
        #expect(try mode(folder.path + "/v1") == 0o700)
    }
}
