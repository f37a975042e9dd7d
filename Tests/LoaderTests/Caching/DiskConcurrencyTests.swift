import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct DiskConcurrencyTests {
    private let folder: DiskFolder

    init() throws { folder = try DiskFolder() }

    /// Runs `work` on `count` new threads and waits for all of them.
    private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                work(index)
                group.leave()
            }
        }
        group.wait()
    }

    /// True when the body is of the version that the header field `X-Body` contains. A refresh does not change this
    /// field.
    private func isConsistent(_ hit: DiskCache.Hit, of key: CacheKey) -> Bool {
        guard let tag = hit.entry.response?.fields["x-body"], let version = Int(String(decoding: tag, as: UTF8.self))
        else { return false }
        return hit.body == diskBody(key, version: version)
    }

    private static func entry(_ key: CacheKey, body version: Int, header: Int) -> CacheEntry {
        var entry = diskEntry(key, version: header, padding: header % 5 == 0 ? 900 : 0)
        entry.response?.fields.append("X-Body", "\(version)")
        entry.response?.createdAt = WallTime(seconds: Int64(version))
        return entry
    }

    @Test func readDuringConcurrentStoresNeverReturnsAHeaderWithTheBodyOfAnotherStore() async {
        let caches = [folder.cache(), folder.cache(maxBytes: 20_000)]
        let keys = (0..<5).map { diskKey("\($0)") }
        let lies = Locked(0)
        let hits = Locked(0)

        onThreads(8) { thread in
            var random = SplitMix(seed: UInt64(thread))
            let cache = caches[thread % 2]
            for step in 0..<250 {
                let key = keys[Int.random(in: 0..<keys.count, using: &random)]
                let version = thread * 1_000 + step
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2:
                    cache.store(Self.entry(key, body: version, header: version), body: diskBody(key, version: version))
                case 3...4:
                    guard let hit = cache.read(key), let tag = hit.entry.response?.fields["x-body"],
                        let body = Int(String(decoding: tag, as: UTF8.self))
                    else { break }
                    cache.refresh(Self.entry(key, body: body, header: version), of: hit.revision)
                case 5:
                    if step % 10 == 0 { cache.remove(key) }
                default:
                    guard let hit = cache.read(key) else { break }
                    hits.update { $0 += 1 }
                    if !self.isConsistent(hit, of: key) { lies.update { $0 += 1 } }
                }
            }
        }

        #expect(lies.value == 0)
        #expect(hits.value > 100)
        // The cache without a limit is flushed last, because the flush of the cache with a limit may still evict
        // entries.
        for cache in caches.reversed() { await cache.flush() }
        #expect(await caches[0].verify().bad.isEmpty)
        #expect(caches[0].statistics.entries == folder.entryFiles.count)
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".tmp") })
        #expect(caches.allSatisfy { $0.statistics.faults[.damagedEntry] == nil })
    }

    @Test func statisticsAfterConcurrentStoresAndRemovalsMatchTheFilesOnDisk() async {
        let cache = folder.cache()
        await cache.flush()

        onThreads(6) { thread in
            for step in 0..<100 {
                let key = diskKey("\((thread * 31 + step * 7) % 40)")
                if step % 9 == 0 {
                    cache.remove(key)
                } else {
                    cache.store(diskEntry(key), body: diskBody(key, count: step))
                }
            }
        }

        let counted = cache.statistics
        await cache.flush()
        #expect(cache.statistics.entries == counted.entries)
        #expect(cache.statistics.bytes == counted.bytes)
        #expect(counted.entries == folder.entryFiles.count)
    }

    @Test func purgeDuringStoresLeavesNoEntryOfALoadThatBeganBeforeThePurge() async {
        let cache = folder.cache()
        for round in 0..<20 {
            let ticket = cache.ticket()
            async let removed = cache.purge()
            onThreads(2) { thread in
                for index in 0..<10 {
                    let key = diskKey("\(round) \(thread) \(index)".replacingOccurrences(of: " ", with: "-"))
                    cache.store(diskEntry(key), body: [1], ticket: ticket)
                }
            }
            _ = await removed
            #expect(folder.files.isEmpty, "round \(round)")
        }
    }
}
