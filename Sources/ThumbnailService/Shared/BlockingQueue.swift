import Dispatch

/// Queue for blocking calls, such as disk operations, so that they block neither event loops nor Swift's cooperative
/// threads.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter label: Name of the queue in a debugger.
    init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    /// Runs `work` on a thread of the queue.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
