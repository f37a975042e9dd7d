import PlatformImage
import PlatformImageLoader

/// Statistics that the gallery shows: fill levels of caches and budgets, and counters since the start.
struct GalleryState: Hashable, Sendable {
    /// Fill level of a cache or of a memory budget.
    struct Level: Hashable, Sendable {
        /// Number of entries of a cache, or of jobs that wait for a budget.
        var count: Int
        var bytes: Int
        var limit: Int

        var json: String {
            var text = JSONObjectText()
            text.add("count", count)
            text.add("bytes", bytes)
            text.add("limit", limit)
            return text.object
        }
    }

    /// Results in memory; nil when that cache is disabled.
    var memory: Level?
    /// Results on disk; nil when that cache is disabled.
    var disk: Level?
    /// Sources on disk; nil when that cache is disabled.
    var sources: Level?
    /// Memory budget of renders: the bytes that they have reserved, and the limit.
    var renders: Level
    /// Number of successful renders since the start of the service.
    var renderCount: Int
    /// Number of requests since the start of the service whose client disconnected before the response.
    var cancelledCount: Int
    /// Resident memory of the process in bytes; 0 where the system does not report it.
    var residentBytes: Int

    init(_ engine: ThumbnailEngine) {
        memory = engine.results.memoryLevel
        disk = engine.results.diskLevel
        sources = engine.sources.diskStatistics.map { Level($0, limit: engine.configuration.cache.sourceDisk) }
        renders = Level(
            count: engine.queue.waitingCount + engine.queue.budget.waitingCount,
            bytes: engine.queue.budget.grantedBytes, limit: engine.queue.budget.maxBytes)
        renderCount = engine.counters.renderCount
        cancelledCount = engine.counters.disconnectCount
        residentBytes = ResidentMemory.bytes ?? 0
    }

    var json: String {
        var text = JSONObjectText()
        text.add("memory", raw: memory?.json ?? "null")
        text.add("disk", raw: disk?.json ?? "null")
        text.add("sources", raw: sources?.json ?? "null")
        text.add("renders", raw: renders.json)
        text.add("rendered", renderCount)
        text.add("cancelled", cancelledCount)
        text.add("resident", residentBytes)
        return text.object + "\n"
    }
}

extension ResultCache {
    var memoryLevel: GalleryState.Level? {
        memory.map { .init(count: $0.count, bytes: $0.totalBytes, limit: $0.maxBytes) }
    }

    var diskLevel: GalleryState.Level? { disk.map { .init($0.statistics, limit: $0.maxBytes) } }
}

extension GalleryState.Level {
    /// Converts the statistics of a disk cache.
    ///
    /// - Parameter limit: Nil for no limit, which is reported as 0.
    init(_ statistics: DiskCache.Statistics, limit: Int?) {
        self.init(count: statistics.entries, bytes: statistics.bytes, limit: limit ?? 0)
    }
}
