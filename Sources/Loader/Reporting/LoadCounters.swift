#if Loader
import PlatformImage
internal import Synchronization

/// What a loader has done, counted without a lock.
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

    /// Counts a load that ended well.
    func countAnswer(from source: LoadSource) {
        switch source {
        case .memory: Self.add(1, to: memoryHits)
        case .disk: Self.add(1, to: diskHits)
        case .networkNotModified: Self.add(1, to: revalidated)
        case .networkToDisk: Self.add(1, to: network)
        case .none: break
        }
    }

    /// Counts a decode that has taken so long on its thread.
    func countDecode(_ duration: Duration) {
        Self.add(1, to: decodes)
        Self.add(Int(max(0, duration.nanosecondCount)), to: decodeNanoseconds)
    }

    /// The counters are read one by one and order nothing else, so they need no more than to be whole.
    static func add(_ number: Int, to counter: borrowing Atomic<Int>) {
        _ = counter.wrappingAdd(number, ordering: .relaxed)
    }
}
#endif
