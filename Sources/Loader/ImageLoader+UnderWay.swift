#if Loader
extension ImageLoader {
    /// Fetches, decodes and places in the lanes that are taken now; 0 when everything has ended.
    package var underWayCount: Int {
        let (images, data) = (images.shared, data.shared)
        let lanes = images.lanes.counts
        return images.fetches.count + images.decodes.count + data.fetches.count + data.decodes.count
            + (lanes == LaneCounts() ? 0 : 1)
    }
}
#endif
