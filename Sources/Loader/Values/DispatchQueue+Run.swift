#if Loader
internal import Dispatch

extension DispatchQueue {
    /// Runs blocking work where it does not hold up Swift's shared threads.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
#endif
