#if Loader
internal import PlatformImage

extension LoaderStatistics: CustomStringConvertible {
    /// The counts that are not 0, in one line.
    public var description: String {
        var text = ChangedProperties(of: "LoaderStatistics")
        text.add("memoryHits", memoryHits, default: 0)
        text.add("diskHits", diskHits, default: 0)
        text.add("revalidated", revalidated, default: 0)
        text.add("network", network, default: 0)
        text.add("failures", failures, default: 0)
        text.add("cancellations", cancellations, default: 0)
        text.add("misses", misses, default: 0)
        text.add("requests", requests, default: 0)
        text.add("retries", retries, default: 0)
        text.add("bytesReceived", bytesReceived, default: 0)
        text.add("decodes", decodes, default: 0)
        text.add("decodeNanoseconds", decodeNanoseconds, default: 0)
        text.add("urgentWaiting", urgentWaiting, default: 0)
        text.add("urgentRunning", urgentRunning, default: 0)
        text.add("slowWaiting", slowWaiting, default: 0)
        text.add("slowRunning", slowRunning, default: 0)
        text.add("decodesWaiting", decodesWaiting, default: 0)
        text.add("reportsDropped", reportsDropped, default: 0)
        return text.text
    }
}
#endif
