#if Service
import PlatformImageLoader
import PlatformImage

/// Results in memory, counted by their bytes, and on disk, where the process may be killed at any time.
final class ResultCache: Sendable {
    /// Where a result was found.
    enum Layer: String, Sendable { case memory, disk }

    let memory: MemoryCache<ResultKey, StoredResult>?
    let disk: DiskCache?
    /// Waits for the disk.
    private let queue = BlockingQueue(label: "ThumbnailService.results")

    /// - Parameter configuration: Without a directory, or with no bytes for a layer, that layer keeps nothing.
    init(_ configuration: ServiceConfiguration.Cache) {
        memory = configuration.resultMemory > 0 ? MemoryCache(maxBytes: configuration.resultMemory) : nil
        if let directory = configuration.directory, configuration.resultDisk > 0 {
            disk = DiskCache(directory: directory + "/results", maxBytes: configuration.resultDisk)
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

    /// What is in memory, fresh or not.
    func remembered(_ key: ResultKey) -> StoredResult? { memory?.value(for: key) }

    /// What is on disk, fresh or not; it is in memory from then on.
    func stored(_ key: ResultKey) async -> StoredResult? {
        guard let disk, let name = key.cacheKey else { return nil }
        let hit = await queue.run { disk.read(name) }
        guard let hit, let response = hit.entry.response, let facts = StoredResult.Facts(response) else { return nil }
        let result = StoredResult(bytes: hit.body, facts: facts)
        remember(result, key)
        return result
    }

    /// Keeps a result in both layers; a fault of the disk costs speed and no answer.
    func keep(_ result: StoredResult, _ key: ResultKey) async {
        remember(result, key)
        guard let disk, let name = key.cacheKey else { return }
        let entry = Self.entry(result.facts, name)
        await queue.run { _ = disk.store(entry, body: result.bytes) }
    }

    /// Makes what is kept fresh for longer: one write of the entry's head.
    func renew(_ result: StoredResult, _ key: ResultKey) async {
        remember(result, key)
        guard let disk, let name = key.cacheKey else { return }
        let entry = Self.entry(result.facts, name)
        await queue.run {
            guard let head = disk.head(name) else { return }
            _ = disk.refresh(entry, of: head.revision)
        }
    }

    /// Waits until everything that was kept lies on disk.
    func flush() async { await disk?.flush() }

    /// Forgets what is in memory; the disk keeps it.
    func clearMemory() { memory?.removeAll() }

    /// Removes what is on disk; memory keeps it.
    func purgeDisk() async { _ = await disk?.purge() }

    private func remember(_ result: StoredResult, _ key: ResultKey) {
        _ = memory?.insert(result, for: key, cost: result.cost)
    }

    private static func entry(_ facts: StoredResult.Facts, _ key: CacheKey) -> CacheEntry {
        CacheEntry(
            key: key,
            response: StoredResponse(
                status: 200, fields: facts.fields, requestTime: facts.seenAt, responseTime: facts.seenAt,
                createdAt: facts.seenAt))
    }
}
#endif
