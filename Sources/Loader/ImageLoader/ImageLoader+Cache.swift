internal import PlatformImage

extension ImageLoader {
    /// Counters and current state of this loader, for images and data together.
    public var statistics: LoaderStatistics {
        let shared = images.shared
        return LoaderStatistics(
            shared.reporter.counters, lanes: shared.lanes.counts, decodesWaiting: shared.decodeQueue.waitingCount,
            reportsDropped: shared.reporter.droppedCount)
    }

    /// Number of running fetches, decodes and writes of variant files, plus 1 while the limiter of concurrent fetches
    /// has a waiting or running fetch; 0 when all work has ended, including cancelled work.
    package var activeWorkCount: Int {
        let (images, data) = (images.shared, data.shared)
        let lanes = images.lanes.counts
        return images.fetches.runningCount + images.decodes.runningCount
            + images.batches.jobs.runningCount + data.decodes.runningCount + images.variantWrites.count
            + (lanes == LaneCounts() ? 0 : 1)
    }

    /// Number of decoded images in memory, their size in bytes, and the largest size so far.
    public var memoryStatistics: (count: Int, bytes: Int, peakBytes: Int) {
        guard let cache = images.memory?.cache else { return (0, 0, 0) }
        return (cache.count, cache.totalBytes, cache.peakTotalBytes)
    }

    /// Contents, counters and faults of the disk cache of images; nil without a disk cache.
    public var diskStatistics: DiskCache.Statistics? { images.disk?.statistics }

    /// Contents, counters and faults of the disk cache of ``data(for:)``; nil without one.
    public var dataStatistics: DiskCache.Statistics? { data.disk?.statistics }

    /// Evicts all images from memory. Loads that are already running do not add their images afterwards. The disk is
    /// not changed.
    @discardableResult
    public func purgeMemory() async -> RemovalReport {
        let pipeline = images
        let report = pipeline.memory?.purge() ?? RemovalReport()
        pipeline.shared.reporter.report(.memoryPurged(count: report.count, bytes: report.bytes))
        return report
    }

    /// Removes all entries of both disk caches. Loads that are already running store nothing on disk afterwards.
    ///
    /// Images in memory stay, but are no longer fresh, except bitmaps that the application stored.
    @discardableResult
    public func purgeDisk() async -> RemovalReport { await onDisks { await $0.purge() } }

    /// Removes the entries of both disk caches that were last used longer ago than `age`.
    @discardableResult
    public func clearCachedFiles(modifiedOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(modifiedOlderThan: age) }
    }

    /// Removes the entries of both disk caches whose body was stored longer ago than `age`; a later 304 does not change
    /// the time at which a body was stored.
    @discardableResult
    public func clearCachedFiles(createdOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(createdOlderThan: age) }
    }

    /// Waits until the files of ``ImageRequest/variantFormat`` of all earlier loads are written. Then counts the files
    /// of both disk caches, including files of other processes, and evicts entries to satisfy the size limits. Returns
    /// after all earlier events have been delivered to the sinks and the log.
    public func flush() async {
        await images.shared.variantWrites.finish()
        await images.disk?.flush()
        await data.disk?.flush()
        await images.shared.reporter.delivered()
    }

    private func onDisks(_ work: (DiskCache) async -> RemovalReport) async -> RemovalReport {
        var report = RemovalReport()
        // Data first: an image load could otherwise read the data after the purge of the images.
        for disk in [data.disk, images.disk] {
            guard let disk else { continue }
            let part = await work(disk)
            report.count += part.count
            report.bytes += part.bytes
        }
        images.shared.reporter.report(.filesRemoved(count: report.count, bytes: report.bytes))
        return report
    }

    /// Removes the definitive failure of a request's cache key from the in-memory negative cache.
    ///
    /// Definitive failures are those of ``Configuration/negativeCacheMaxAge``. Errors that are counted on disk, for
    /// ``Configuration/defaultCacheControlMaxAgeForErrors``, stay: ``removeImage(for:layers:)`` or the policy `reload`
    /// removes them.
    public func forgetFailures(for request: ImageRequest) {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        pipeline.shared.failures.remove(hop.key)
    }

    /// Removes all failures from the in-memory negative cache, as ``forgetFailures(for:)`` does for one request.
    public func forgetFailures() {
        images.shared.failures.removeAll()
        data.shared.failures.removeAll()
    }

    /// Evicts the least recently used images until the remaining ones use at most this fraction of the limit.
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
