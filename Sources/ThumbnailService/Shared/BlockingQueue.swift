#if Service
import Dispatch

/// Threads for calls that block, such as those of a disk: no event loop and none of Swift's shared threads waits for
/// them.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: Names the queue in a debugger.
    init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    /// Runs `work` on a thread of the queue.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
#endif
