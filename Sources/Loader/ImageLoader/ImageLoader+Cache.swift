#if Loader
internal import PlatformImage

extension ImageLoader {
    /// What this loader has done and is doing, pictures and data together.
    public var statistics: LoaderStatistics {
        let shared = images.shared
        return LoaderStatistics(
            shared.reporter.counters, lanes: shared.lanes.counts, decodesWaiting: shared.decodeQueue.waitingCount,
            reportsDropped: shared.reporter.droppedCount)
    }

    /// Fetches, decodes and places in the lanes that are taken now; 0 when everything has ended, also what was cancelled.
    package var underWayCount: Int {
        let (images, data) = (images.shared, data.shared)
        let lanes = images.lanes.counts
        return images.fetches.runningCount + images.decodes.runningCount
            + data.fetches.runningCount + data.decodes.runningCount
            + (lanes == LaneCounts() ? 0 : 1)
    }

    /// The pictures in memory, by source and decoding.
    public var memoryStatistics: (count: Int, bytes: Int, peakBytes: Int) {
        guard let cache = images.memory?.cache else { return (0, 0, 0) }
        return (cache.count, cache.totalBytes, cache.peakTotalBytes)
    }

    /// What the disk cache of pictures holds and has done, and what faults it met; nil when none is configured.
    public var diskStatistics: DiskCache.Statistics? { images.disk?.statistics }

    /// What the disk cache of ``data(for:)`` holds and has done; nil without one.
    public var dataStatistics: DiskCache.Statistics? { data.disk?.statistics }

    /// Takes all pictures out of memory; loads under way keep what they bring out of it too. The disk is not touched.
    @discardableResult
    public func purgeMemory() async -> RemovalReport {
        let pipeline = images
        let report = pipeline.memory?.purge() ?? RemovalReport()
        pipeline.shared.reporter.report(.memoryPurged(count: report.count, bytes: report.bytes))
        return report
    }

    /// Removes all entries of both disk caches; loads under way store nothing any more.
    ///
    /// Pictures in memory stay, and are not fresh any longer.
    @discardableResult
    public func purgeDisk() async -> RemovalReport { await onDisks { await $0.purge() } }

    /// Removes entries of both disk caches that were last used longer ago than `age`.
    @discardableResult
    public func clearCachedFiles(modifiedOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(modifiedOlderThan: age) }
    }

    /// Removes entries of both disk caches whose body was stored longer ago than `age`; a 304 since does not count.
    @discardableResult
    public func clearCachedFiles(createdOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(createdOlderThan: age) }
    }

    /// Returns when everything stored so far is visible to other processes and counted, and everything that happened so
    /// far has been reported to the sinks and the log.
    public func flush() async {
        await images.disk?.flush()
        await data.disk?.flush()
        await images.shared.reporter.delivered()
    }

    private func onDisks(_ work: (DiskCache) async -> RemovalReport) async -> RemovalReport {
        var report = RemovalReport()
        for disk in [images.disk, data.disk] {
            guard let disk else { continue }
            let part = await work(disk)
            report.count += part.count
            report.bytes += part.bytes
        }
        images.shared.reporter.report(.filesRemoved(count: report.count, bytes: report.bytes))
        return report
    }

    /// Forgets the definitive failures of one address, whoever asks as this request does.
    ///
    /// They are those of ``Configuration/negativeCacheMaxAge``. The errors that are counted on disk, of
    /// ``Configuration/defaultCacheControlMaxAgeForErrors``, stay: ``removeImage(for:layers:)`` or the policy `reload`
    /// ends their silence.
    public func forgetFailures(for request: ImageRequest) {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        pipeline.shared.failures.forget(hop.key)
    }

    /// Forgets all definitive failures, as ``forgetFailures(for:)`` does those of one address.
    public func forgetFailures() {
        images.shared.failures.forgetAll()
        data.shared.failures.forgetAll()
    }

    /// Evicts the least recently used pictures until the rest is at most this fraction of the limit.
    ///
    /// - Parameter fraction: 0...1; anything else traps.
    public func relieveMemoryPressure(to fraction: Double) {
        let pipeline = images
        guard let cache = pipeline.memory?.cache else { return }
        let before = cache.totalBytes
        cache.relieveMemoryPressure(to: fraction)
        pipeline.shared.reporter.report(.memoryRelieved(bytes: max(0, before - cache.totalBytes)))
    }
}
#endif
