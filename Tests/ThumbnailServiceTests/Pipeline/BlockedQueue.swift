#if Service
import Dispatch
import PlatformImage
import PlatformImageTestSupport

/// The queue's only thread does nothing from now on until the gate is signalled.
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
#endif
