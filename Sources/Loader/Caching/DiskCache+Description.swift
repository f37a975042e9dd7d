#if Loader
internal import PlatformImage

extension DiskCache.Statistics: CustomStringConvertible {
    /// The counts that are not 0, in one line.
    public var description: String {
        var text = ChangedProperties(of: "Statistics")
        text.add("entries", entries, default: 0)
        text.add("bytes", bytes, default: 0)
        text.add("isComplete", isComplete, default: false)
        text.add("hits", hits, default: 0)
        text.add("misses", misses, default: 0)
        text.add("stores", stores, default: 0)
        text.add("refreshes", refreshes, default: 0)
        text.add("evictions", evictions, default: 0)
        let faults = faults.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
        text.add("faults", text: faults.isEmpty ? nil : "[\(faults)]")
        return text.text
    }
}
#endif
