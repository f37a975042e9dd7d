#if Loader
extension ImageLoader {
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
