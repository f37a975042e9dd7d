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
}
#endif
