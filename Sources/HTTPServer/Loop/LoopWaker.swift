import CPlatformImageUV
import Synchronization

/// Ends the wait of a loop from any thread.
final class LoopWaker: Sendable {
    /// True from the last look into the queues before a wait until its end.
    private let isWaiting = Atomic(false)
    /// Address of the loop; 0 after it was closed.
    private let loop = Mutex<UInt>(0)

    func open(_ address: UInt) { loop.locked(in: self) { $0 = address } }

    /// Must be called before the loop is freed.
    func close() { loop.locked(in: self) { $0 = 0 } }

    /// Called by the loop before it looks into its queues for the last time.
    func beginWait() { isWaiting.store(true, ordering: .sequentiallyConsistent) }

    /// Called by the loop after its wait, once or more.
    func endWait() {
        if isWaiting.load(ordering: .relaxed) { isWaiting.store(false, ordering: .sequentiallyConsistent) }
    }

    /// Wakes the loop if it waits. The caller has put something into a queue before.
    func wake() {
        guard isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
        loop.locked(in: self) { if $0 != 0 { piuv_loop_wake($0) } }
    }
}
