#if Service
import PlatformImageLoader
import PlatformImage

/// What the gallery shows beside its pictures: how full everything is that has a limit, and what was done so far.
struct GalleryState: Hashable, Sendable {
    /// What a cache holds, or what is held of a budget.
    struct Level: Hashable, Sendable {
        /// Entries of a cache; jobs that wait for a budget.
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

    /// Results in memory; nil when none are kept there.
    var memory: Level?
    /// Results on disk; nil when none are kept there.
    var disk: Level?
    /// Sources on disk; nil when none are kept there.
    var sources: Level?
    /// Bytes that renders hold.
    var renders: Level
    /// Renders that succeeded since the start.
    var renderCount: Int
    /// Requests since the start whose client left before the answer.
    var cancelledCount: Int
    /// Resident memory of the process in bytes; 0 where the system does not say.
    var residentBytes: Int

    init(_ engine: ThumbnailEngine) {
        memory = engine.results.memoryLevel
        disk = engine.results.diskLevel
        sources = engine.sources.diskStatistics.map { Level($0, limit: engine.configuration.cache.sourceDisk) }
        renders = Level(
            count: engine.queue.waitingCount + engine.queue.budget.waitingCount,
            bytes: engine.queue.budget.grantedBytes, limit: engine.queue.budget.maxBytes)
        renderCount = engine.counters.renderCount
        cancelledCount = engine.counters.departureCount
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
    /// - Parameter limit: Nil for none, which is told as 0.
    init(_ statistics: DiskCache.Statistics, limit: Int?) {
        self.init(count: statistics.entries, bytes: statistics.bytes, limit: limit ?? 0)
    }
}
#endif
