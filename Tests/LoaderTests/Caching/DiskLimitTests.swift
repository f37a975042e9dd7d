import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct DiskLimitTests {
    private let folder: DiskFolder
    private let clock = TestClock()

    init() throws { folder = try DiskFolder() }

    private let entryLength = 8 + 2 * 1024 + 100

    private func store(_ index: Int, in cache: DiskCache) {
        clock.advance(1)
        let key = diskKey("\(index)")
        #expect(cache.store(diskEntry(key), body: diskBody(key)))
    }

    @Test(.requirement("O51")) func storeOverTheByteLimitEvictsTheLeastRecentlyUsedEntries() async {
        let cache = folder.cache(maxBytes: 20 * entryLength, clock: clock)
        await cache.flush()
        for index in 0..<100 {
            store(index, in: cache)
            // Entry 0 is read after every store, so it is never the least recently used entry.
            #expect(cache.read(diskKey("0")) != nil)
            #expect(cache.statistics.bytes <= 20 * entryLength)
            #expect(folder.entryFiles.count * entryLength == cache.statistics.bytes)
        }

        await cache.flush()
        let kept = (0..<100).filter { cache.header(diskKey("\($0)")) != nil }
        #expect(kept.first == 0)
        #expect(Array(kept.dropFirst()) == Array((100 - kept.count + 1)..<100))
        #expect(kept.count >= 16)
        #expect(cache.statistics.evictions == 100 - kept.count)
    }

    @Test func entryLargerThanTheLimitIsNotStoredAndRemovesTheOlderEntry() {
        let cache = folder.cache(maxBytes: 2 * entryLength, clock: clock)
        let key = diskKey("a")
        #expect(cache.store(diskEntry(key), body: [1]))

        #expect(!cache.store(diskEntry(key, version: 1), body: diskBody(key, count: 10_000)))

        #expect(cache.read(key) == nil)
        #expect(folder.entryFiles.isEmpty)
    }

    @Test func cacheWithAByteLimitOfZeroStoresNothing() {
        let cache = folder.cache(maxBytes: 0)
        #expect(!cache.store(diskEntry(diskKey("a")), body: []))
        #expect(folder.entryFiles.isEmpty)
    }

    @Test(.requirement("O51")) func entriesStoredByAnEarlierCacheObjectCountTowardsTheLimit() async {
        let first = folder.cache(clock: clock)
        for index in 0..<30 { store(index, in: first) }

        let second = folder.cache(maxBytes: 10 * entryLength, clock: clock)
        await second.flush()

        #expect(second.statistics.bytes <= 8 * entryLength)
        #expect(folder.entryFiles.count == second.statistics.entries)
        #expect(second.read(diskKey("29")) != nil)
        #expect(second.read(diskKey("0")) == nil)
    }

    @Test func flushAfterLoweringTheByteLimitEvictsEntries() async {
        let cache = folder.cache(clock: clock)
        for index in 0..<30 { store(index, in: cache) }
        cache.maxBytes = 10 * entryLength
        await cache.flush()

        #expect(folder.entryFiles.count == 8)
    }

    @Test func freeSpaceCallForMoreBytesThanTheLimitEvictsNothing() async {
        let cache = folder.cache(clock: clock)
        for index in 0..<4 { store(index, in: cache) }
        await cache.flush()
        cache.maxBytes = 4 * entryLength

        cache.freeSpace(for: 4 * entryLength + 1, ignoringLock: true)

        #expect(folder.entryFiles.count == 4)
    }

    @Test func trimReportsTheNumberAndBytesOfRemovedEntries() async {
        let cache = folder.cache(clock: clock)
        for index in 0..<10 { store(index, in: cache) }

        #expect(await cache.trim(toBytes: 3 * entryLength) == RemovalReport(count: 7, bytes: 7 * entryLength))
        #expect(await cache.trim(toBytes: 3 * entryLength) == RemovalReport())
        #expect((7..<10).allSatisfy { cache.header(diskKey("\($0)")) != nil })
    }

    @Test func storesObeyTheByteLimitWhileTheSweepLockIsHeld() async throws {
        let cache = folder.cache(maxBytes: 5 * entryLength, clock: clock)
        let lock = try DiskDirectory(path: folder.path, creating: true).sweepLock()
        for index in 0..<20 { store(index, in: cache) }

        #expect(folder.entryFiles.count <= 5)
        try lock?.close()
    }

    @Test func twoCachesOnOneFolderTogetherObeyTheByteLimit() async {
        let caches = [0, 1].map { _ in folder.cache(maxBytes: 20 * entryLength, clock: clock) }
        for index in 0..<200 { store(index, in: caches[index % 2]) }
        for cache in caches { await cache.flush() }

        #expect(folder.entryFiles.count <= 20)
        #expect(caches[1].statistics.entries == folder.entryFiles.count)
    }
}
