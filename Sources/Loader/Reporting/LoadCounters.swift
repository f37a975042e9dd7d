import PlatformImage
internal import Synchronization

/// Lock-free activity counters of a loader.
final class LoadCounters: Sendable {
    let memoryHits = Atomic(0)
    let diskHits = Atomic(0)
    let revalidated = Atomic(0)
    let network = Atomic(0)
    let failures = Atomic(0)
    let cancellations = Atomic(0)
    let misses = Atomic(0)
    let requests = Atomic(0)
    let retries = Atomic(0)
    let bytesReceived = Atomic(0)
    let decodes = Atomic(0)
    let decodeNanoseconds = Atomic(0)

    /// Counts a successful load.
    func countResult(from source: LoadSource) {
        switch source {
        case .memory: Self.add(1, to: memoryHits)
        case .disk: Self.add(1, to: diskHits)
        case .networkNotModified: Self.add(1, to: revalidated)
        case .networkToDisk: Self.add(1, to: network)
        case .none: break
        }
    }

    /// Counts a decode and its duration on the decoding thread.
    func countDecode(_ duration: Duration) {
        Self.add(1, to: decodes)
        Self.add(Int(max(0, duration.nanosecondCount)), to: decodeNanoseconds)
    }

    /// The counters are read individually and order no other memory accesses, so relaxed ordering suffices.
    static func add(_ number: Int, to counter: borrowing Atomic<Int>) {
        _ = counter.wrappingAdd(number, ordering: .relaxed)
    }
}
