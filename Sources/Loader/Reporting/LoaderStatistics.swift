internal import PlatformImage
internal import Synchronization

/// Activity of a loader since it was created, and its current state.
///
/// Each value is accurate; while loads are running the values need not be of the same instant.
public struct LoaderStatistics: Hashable, Sendable {
    /// Number of loads completed with a decoded image from memory.
    public internal(set) var memoryHits = 0
    /// Number of loads completed with a stored body, without a request.
    public internal(set) var diskHits = 0
    /// Number of loads whose stored response the origin validated (304).
    public internal(set) var revalidated = 0
    /// Number of loads for which the origin sent a body.
    public internal(set) var network = 0
    /// Number of loads that failed, except cancelled ones.
    public internal(set) var failures = 0
    /// Number of loads that were cancelled.
    public internal(set) var cancellations = 0
    /// Number of loads that read the caches and found no response that they may use, not even a stale one.
    public internal(set) var misses = 0
    /// Number of loads that have ended.
    public var loads: Int { memoryHits + diskHits + revalidated + network + failures + cancellations }

    /// Number of requests sent, including background revalidation; a request shared by several loads counts once.
    public internal(set) var requests = 0
    /// Number of failed attempts that were retried.
    public internal(set) var retries = 0
    /// Number of body bytes received, before content decoding.
    public internal(set) var bytesReceived = 0
    /// Number of decodes on the loader's decode queue.
    public internal(set) var decodes = 0
    /// Total run time in nanoseconds of the decodes on the loader's decode queue, without the wait for a thread.
    public internal(set) var decodeNanoseconds = 0

    /// Number of fetches of urgent priority that wait for a slot.
    public internal(set) var urgentWaiting = 0
    /// Number of fetches of urgent priority that are running.
    public internal(set) var urgentRunning = 0
    /// Number of fetches of slow priority that wait for a slot; they wait while an urgent fetch waits or runs.
    public internal(set) var slowWaiting = 0
    /// Number of fetches of slow priority that are running.
    public internal(set) var slowRunning = 0
    /// Number of decodes that wait for a thread.
    public internal(set) var decodesWaiting = 0
    /// Number of events and records that were dropped because the sinks were slower than the loads.
    public internal(set) var reportsDropped = 0
}

extension LoaderStatistics {
    init(_ counters: LoadCounters, lanes: LaneCounts, decodesWaiting: Int, reportsDropped: Int) {
        memoryHits = counters.memoryHits.load(ordering: .relaxed)
        diskHits = counters.diskHits.load(ordering: .relaxed)
        revalidated = counters.revalidated.load(ordering: .relaxed)
        network = counters.network.load(ordering: .relaxed)
        failures = counters.failures.load(ordering: .relaxed)
        cancellations = counters.cancellations.load(ordering: .relaxed)
        misses = counters.misses.load(ordering: .relaxed)
        requests = counters.requests.load(ordering: .relaxed)
        retries = counters.retries.load(ordering: .relaxed)
        bytesReceived = counters.bytesReceived.load(ordering: .relaxed)
        decodes = counters.decodes.load(ordering: .relaxed)
        decodeNanoseconds = counters.decodeNanoseconds.load(ordering: .relaxed)
        urgentWaiting = lanes.urgentWaiting
        urgentRunning = lanes.urgentRunning
        slowWaiting = lanes.slowWaiting
        slowRunning = lanes.slowRunning
        self.decodesWaiting = decodesWaiting
        self.reportsDropped = reportsDropped
    }
}

extension LoaderStatistics: CustomStringConvertible {
    /// The values that are not 0, in one line.
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
