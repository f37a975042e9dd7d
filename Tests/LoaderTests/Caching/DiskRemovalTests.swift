import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct DiskRemovalTests {
    private let folder: DiskFolder
    private let clock = TestClock()
    private let cache: DiskCache

    init() throws {
        folder = try DiskFolder()
        cache = folder.cache(clock: clock)
    }

    private let entryLength = 8 + 2 * 1024 + 100

    private func store(_ name: String, createdAt: Int64 = 1_800_000_000) {
        let key = diskKey(name)
        cache.store(diskEntry(key, createdAt: createdAt), body: diskBody(key))
    }

    private var remaining: [String] { ["a", "b", "c", "d"].filter { cache.header(diskKey($0)) != nil } }

    @Test(.requirement("O45")) func clearByModificationDateRemovesOnlyEntriesOlderThanTheSpecifiedAge() async {
        store("a")
        clock.advance(10)
        store("b")
        clock.advance(10)

        #expect(await cache.clear(modifiedOlderThan: .seconds(20)) == RemovalReport())
        #expect(
            await cache.clear(modifiedOlderThan: .milliseconds(19_999)) == RemovalReport(count: 1, bytes: entryLength))
        #expect(remaining == ["b"])
    }

    @Test(.requirement("O44", "O45")) func entryWithARecentHitIsNotClearedByModificationDate() async {
        store("a")
        store("b")
        clock.advance(86_401)
        _ = cache.read(diskKey("a"))

        #expect(await cache.clear(modifiedOlderThan: .oneDay).count == 1)
        #expect(remaining == ["a"])
    }

    @Test(.requirement("O45", "O49")) func clearByCreationDateRemovesAnOldEntryDespiteARecentHit() async throws {
        store("a", createdAt: 1_800_000_000 - 604_801)
        store("b", createdAt: 1_800_000_000 - 604_800)
        _ = cache.read(diskKey("a"))

        #expect(await cache.clear(createdOlderThan: .oneWeek) == RemovalReport(count: 1, bytes: entryLength))
        #expect(remaining == ["b"])
    }

    @Test(arguments: [Int64(-3_000_000_000), -1, 1, 4_000_000_000])
    func clearRemovesEntriesDatedInThePastAndKeepsEntriesDatedInTheFuture(_ offset: Int64) async {
        store("a", createdAt: 1_800_000_000 + offset)
        clock.advance(offset)
        _ = cache.read(diskKey("a"))
        clock.advance(-offset)

        #expect(await cache.clear(createdOlderThan: .zero).count == (offset < 0 ? 1 : 0))
        if offset > 0 { #expect(await cache.clear(modifiedOlderThan: .zero).count == 0) }
    }

    @Test(.requirement("O46", "O47")) func purgeRemovesAllCacheFilesAndKeepsForeignFiles() async throws {
        for name in ["a", "b", "c"] { store(name) }
        let shard = String(folder.file(of: diskKey("a")).dropLast(62))
        let digits = String(repeating: "f", count: 62)
        let foreign = [
            "README", "v1/README", "v1/zz", "sweep.txt", "\(digits)",
        ]
        for name in foreign { try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        let odd = [
            "short", String(repeating: "F", count: 62), digits + "0", digits + ".tmp", digits + ".0.a.tmp",
            digits + ".12.a.tmp.bak", digits + ".x.a.tmp",
        ]
        for name in odd { try Data([1]).write(to: URL(fileURLWithPath: shard + name)) }
        let temporary = shard + digits + ".\(ProcessInfo.processInfo.processIdentifier).0a.tmp"
        try Data([1]).write(to: URL(fileURLWithPath: temporary))

        #expect(await cache.purge() == RemovalReport(count: 3, bytes: 3 * entryLength))

        #expect(remaining.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: temporary))
        for name in foreign { #expect(FileManager.default.fileExists(atPath: folder.path + "/" + name)) }
        for name in odd { #expect(FileManager.default.fileExists(atPath: shard + name)) }
        await cache.flush()
        #expect(cache.statistics.entries == 0)
        #expect(cache.statistics.bytes == 0)
    }

    @Test(.requirement("O46")) func loadThatBeganBeforeAPurgeStoresNothingAfterThePurge() async throws {
        store("a")
        let before = cache.ticket()
        let hit = try #require(cache.read(diskKey("a")))
        _ = await cache.purge()
        let key = diskKey("b")

        #expect(!cache.store(diskEntry(key), body: [1], ticket: before))
        #expect(!cache.refresh(diskEntry(diskKey("a"), version: 1), of: hit.revision, ticket: before))
        #expect(folder.entryFiles.isEmpty)
        #expect(folder.files.isEmpty)
        #expect(cache.store(diskEntry(key), body: [1], ticket: cache.ticket()))
    }

    @Test func loadThatBeganBeforeAPurgeDoesNotReplaceAnEntryStoredAfterThePurge() async {
        let key = diskKey("a")
        let before = cache.ticket()
        _ = await cache.purge()
        cache.store(diskEntry(key, version: 2), body: [2], ticket: cache.ticket())

        #expect(!cache.store(diskEntry(key, version: 1), body: [1], ticket: before))

        #expect(cache.read(key)?.body == [2])
    }

    /// A regular file replaces the shard's folder during the purge; the folder is moved back after the purge.
    @Test func entryUnreachableDuringAPurgeIsAMissWhenItIsReachableAgain() async throws {
        store("a")
        let key = diskKey("a")
        let shard = String(folder.file(of: key).dropLast(63))
        try FileManager.default.moveItem(atPath: shard, toPath: shard + ".aside")
        try Data([1]).write(to: URL(fileURLWithPath: shard))

        #expect(await cache.purge() == RemovalReport())
        try FileManager.default.removeItem(atPath: shard)
        try FileManager.default.moveItem(atPath: shard + ".aside", toPath: shard)

        #expect(cache.read(key) == nil)
        #expect(folder.entryFiles.isEmpty)
        store("a")
        #expect(cache.read(key)?.body == diskBody(key))
    }

    /// A regular file replaces the cache's folder during the removals; the folder is moved back after them.
    @Test func removalsWhileTheCacheFolderIsUnreachableApplyWhenItIsReachableAgain() async throws {
        store("a")
        store("b")
        let aside = folder.path + ".aside"
        try FileManager.default.moveItem(atPath: folder.path, toPath: aside)
        try Data([1]).write(to: URL(fileURLWithPath: folder.path))
        let caches = [folder.cache(clock: clock), folder.cache(clock: clock)]

        #expect(caches[0].remove(diskKey("a")) == RemovalReport())
        #expect(await caches[1].purge() == RemovalReport())
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: aside, toPath: folder.path)

        #expect(caches[0].read(diskKey("a")) == nil)
        #expect(caches[0].read(diskKey("b"))?.body == diskBody(diskKey("b")))
        #expect(caches[1].read(diskKey("b")) == nil)
    }

    @Test func removingAMissingEntryReportsZeroEntriesAndBytes() {
        #expect(cache.remove(diskKey("a")) == RemovalReport())
        store("a")
        #expect(cache.remove(diskKey("a")) == RemovalReport(count: 1, bytes: entryLength))
        #expect(cache.remove(diskKey("a")) == RemovalReport())
    }

    @Test func temporaryFilesOfEndedProcessesOrOlderThanOneHourAreRemoved() async throws {
        store("a")
        await cache.flush()
        let shard = String(folder.file(of: diskKey("a")).dropLast(62))
        let digits = String(repeating: "0", count: 62)
        let own = ProcessInfo.processInfo.processIdentifier
        // No process has this id, because it is larger than the maximum of Linux.
        let dead = shard + digits + ".2000000000.1.tmp"
        let young = shard + digits + ".\(own).1.tmp"
        let old = shard + digits + ".\(own).2.tmp"
        for path in [dead, young, old] { try Data([1]).write(to: URL(fileURLWithPath: path)) }
        let now = Double(clock.now.seconds)
        for (path, age) in [(dead, 0.0), (young, 3_600), (old, 3_601)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: now - age)], ofItemAtPath: path)
        }

        await folder.cache(clock: clock).flush()

        #expect(!FileManager.default.fileExists(atPath: dead))
        #expect(FileManager.default.fileExists(atPath: young))
        #expect(!FileManager.default.fileExists(atPath: old))
    }
}
