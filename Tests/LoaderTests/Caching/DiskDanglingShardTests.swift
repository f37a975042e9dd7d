import Foundation
import Testing

@testable import PlatformImageLoader

/// A dangling symbolic link in place of a shard's folder.
struct DiskDanglingShardTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    /// Targets of the link, inside and outside the cache's folder.
    static let targets = ["nowhere", "../nowhere", "../../outside/nowhere", "nowhere/further"]

    /// The path of the key's shard, relative to the cache's folder.
    private var shardName: String { DiskName(key.bytes).path.split(separator: "/").prefix(2).joined(separator: "/") }
    private var shard: String { folder.path + "/" + shardName }

    /// A cache whose scan of the folder is finished before the link is created, so that only the test accesses the
    /// link.
    private func cache(linkTo target: String, faults: TestFaults? = nil) async throws -> DiskCache {
        let cache = DiskCache(directory: folder.path, onFault: { faults?.add($0, $1) })
        await cache.flush()
        try FileManager.default.createSymbolicLink(atPath: shard, withDestinationPath: target)
        return cache
    }

    @Test(arguments: targets) func readThroughADanglingShardLinkIsAMissAndReportsNoFault(target: String) async throws {
        let cache = try await cache(linkTo: target)

        #expect(cache.read(key) == nil)
        #expect(cache.header(key) == nil)

        #expect(cache.statistics.misses == 1)
        #expect(cache.statistics.faults.isEmpty)
    }

    @Test(arguments: targets)
    func storeThroughADanglingShardLinkFailsAndReportsForeignObject(target: String) async throws {
        let faults = TestFaults()
        let cache = try await cache(linkTo: target, faults: faults)

        #expect(!cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key) == nil)

        #expect(faults.kinds == [.foreignObject])
        #expect(cache.statistics.faults.keys.map(\.self) == [.foreignObject])
        #expect(cache.statistics.stores == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shard) == target)
        #expect(folder.files == [shardName])
        #expect(!FileManager.default.fileExists(atPath: shard))
    }

    @Test func danglingLinkOfOneShardDoesNotDisableOtherShards() async throws {
        let cache = try await cache(linkTo: "nowhere")
        let other = try #require(
            (0..<50).map { diskKey("\($0)") }.first { DiskName($0.bytes).shard != DiskName(key.bytes).shard })

        #expect(!cache.store(diskEntry(key), body: [1]))

        #expect(cache.store(diskEntry(other), body: [2]))
        #expect(cache.read(other)?.body == [2])
    }

    /// The link dangles at first. Later its target is created: a folder with a valid entry file of the expected name.
    @Test func shardLinkToAFolderWithAValidEntryIsNotFollowed() async throws {
        let elsewhere = try DiskFolder()
        #expect(elsewhere.cache().store(diskEntry(key), body: [1]))
        let target = folder.path + "/elsewhere"
        let cache = try await cache(linkTo: target)
        #expect(cache.read(key) == nil)
        try FileManager.default.moveItem(atPath: elsewhere.path + "/" + shardName, toPath: target)
        // The file is reachable through the link.
        #expect(FileManager.default.fileExists(atPath: folder.file(of: key)))

        #expect(cache.read(key) == nil)
        #expect(cache.header(key) == nil)
        #expect(!cache.store(diskEntry(key, version: 1), body: [2]))
        cache.remove(key)
        #expect(await cache.purge() == RemovalReport())

        #expect(cache.statistics.faults.keys.map(\.self) == [.foreignObject])
        #expect(FileManager.default.fileExists(atPath: folder.file(of: key)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).count == 1)
    }

    @Test func shardIsUsedAgainAfterItsDanglingLinkIsRemoved() async throws {
        let cache = try await cache(linkTo: "nowhere")
        #expect(!cache.store(diskEntry(key), body: [1]))
        try FileManager.default.removeItem(atPath: shard)

        #expect(cache.read(key) == nil)
        #expect(cache.store(diskEntry(key, version: 1), body: [2]))
        #expect(cache.read(key)?.body == [2])
    }

    @Test func loadWithADanglingShardLinkSucceedsAndReportsThatNothingWasStored() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let key = try #require(CacheKey(url: LoaderBench.url))
        let shard = bench.folder.path + "/images/" + DiskName(key.bytes).path.dropLast(63)
        try FileManager.default.createSymbolicLink(atPath: shard, withDestinationPath: "nowhere")

        let loaded = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))

        #expect(loaded.source == .networkToDisk)
        #expect(!loaded.isStored)
        #expect(bench.storedFiles.count == 1)
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path + "/images/v1/nowhere"))
        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
    }
}
