import PlatformImage
import PlatformImageLoader
import Synchronization

/// Two-level cache of results: in memory, limited by bytes, and on disk, where stored results survive a crash at any
/// time.
final class ResultCache: Sendable {
    /// Cache layer in which a result was found.
    enum Layer: String, Sendable { case memory, disk }

    let memory: MemoryCache<ResultKey, StoredResult>?
    let disk: DiskCache?
    private let clearCount = Atomic(0)
    /// Queue for blocking disk operations.
    private let queue = BlockingQueue(label: "ThumbnailService.results")

    /// Creates the cache.
    ///
    /// - Parameters:
    ///   - configuration: A layer with a size of 0 is disabled; the disk layer is also disabled when `directory` is
    ///     nil.
    ///   - log: Receives the first disk fault of each kind.
    init(_ configuration: ServiceConfiguration.Cache, log: ServiceLog = .none) {
        memory = configuration.resultMemory > 0 ? MemoryCache(maxBytes: configuration.resultMemory) : nil
        if let directory = configuration.directory, configuration.resultDisk > 0 {
            let folder = directory + "/results"
            disk = DiskCache(
                directory: folder, maxBytes: configuration.resultDisk,
                onFault: { fault, text in
                    log.write(
                        .error, "disk cache fault",
                        [("fault", .text(fault.rawValue)), ("directory", .text(folder)), ("error", .text(text))])
                })
        } else {
            disk = nil
        }
    }

    var hasMemory: Bool { memory != nil }
    var hasDisk: Bool { disk != nil }
    /// Bytes of the results in memory.
    var memoryBytes: Int { memory?.totalBytes ?? 0 }
    /// Bytes of the entries on disk, as far as they have been counted since the start.
    var diskBytes: Int { disk?.statistics.bytes ?? 0 }

    /// Returns the result in memory, fresh or stale; nil when there is none.
    func resultInMemory(_ key: ResultKey) -> StoredResult? { memory?.value(for: key) }

    /// Returns the result on disk, fresh or stale, and adds it to memory; nil when there is none. A damaged or forged
    /// entry is removed.
    func resultOnDisk(_ key: ResultKey) async -> StoredResult? {
        guard let disk, let name = key.cacheKey else { return nil }
        let result = await queue.run { () -> StoredResult? in
            guard let hit = disk.read(name) else { return nil }
            guard let facts = hit.entry.response.flatMap({ StoredResult.Facts($0) }) else {
                _ = disk.remove(name)
                return nil
            }
            return StoredResult(bytes: hit.body, facts: facts)
        }
        guard let result else { return nil }
        insertInMemory(result, key)
        return result
    }

    /// Stores a result in both layers; disk errors are ignored, as they affect only speed.
    func store(_ result: StoredResult, _ key: ResultKey) async {
        insertInMemory(result, key)
        guard let disk, let name = key.cacheKey else { return }
        let entry = Self.entry(result.facts, name)
        await queue.run { _ = disk.store(entry, body: result.bytes) }
    }

    /// Updates the freshness of a stored result, on disk by rewriting only the entry's header.
    func updateFreshness(_ result: StoredResult, _ key: ResultKey) async {
        insertInMemory(result, key)
        guard let disk, let name = key.cacheKey else { return }
        let entry = Self.entry(result.facts, name)
        await queue.run {
            guard let head = disk.header(name) else { return }
            _ = disk.refresh(entry, of: head.revision)
        }
    }

    /// Waits until all stored results are on disk.
    func flush() async { await disk?.flush() }

    /// Removes all results from memory, but not from disk.
    func clearMemory() {
        memory?.removeAll()
        clearCount.add(1, ordering: .releasing)
    }

    /// Changes when results are removed from memory on request; copies of an older generation must not be used.
    var generation: Int { clearCount.load(ordering: .acquiring) }

    /// Removes all results from disk, but not from memory.
    func purgeDisk() async { _ = await disk?.purge() }

    private func insertInMemory(_ result: StoredResult, _ key: ResultKey) {
        _ = memory?.insert(result, for: key, cost: result.cost)
    }

    private static func entry(_ facts: StoredResult.Facts, _ key: CacheKey) -> CacheEntry {
        CacheEntry(
            key: key,
            response: StoredResponse(
                status: 200, fields: facts.fields, requestTime: facts.validatedAt, responseTime: facts.validatedAt,
                createdAt: facts.validatedAt))
    }
}
