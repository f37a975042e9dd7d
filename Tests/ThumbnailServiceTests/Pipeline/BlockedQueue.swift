import Dispatch
import PlatformImage
import PlatformImageTestSupport

/// Blocks the only thread of the queue until the gate is signalled.
func block(_ queue: DecodeQueue) async -> (gate: DispatchSemaphore, end: Task<Void, Never>) {
    let gate = DispatchSemaphore(value: 0)
    let isBlocked = Locked(false)
    let end = Task<Void, Never> {
        try? await queue.run { _ in
            isBlocked.update { $0 = true }
            gate.wait()
        }
    }
    await yieldUntil { isBlocked.value }
    return (gate, end)
}
