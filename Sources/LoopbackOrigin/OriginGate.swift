internal import PlatformImage
import Synchronization

/// A one-time gate that a test opens: closed at first, then open forever.
public final class OriginGate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate and resumes all waiters.
    public func open() {
        let (waiters, actions) = state.locked(in: self) { state in
            state.isOpen = true
            defer { (state.waiters, state.actions) = ([:], []) }
            return (Array(state.waiters.values), state.actions)
        }
        for continuation in waiters { continuation.resume() }
        for action in actions { action() }
    }

    /// True once the gate was opened.
    var isOpen: Bool { state.locked(in: self) { $0.isOpen } }

    /// Calls `action` once when the gate is opened, on the thread that opens it; at once if it is open.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.locked(in: self) { state in
            if !state.isOpen { state.actions.append(action) }
            return state.isOpen
        }
        if isOpen { action() }
    }

    /// Waits until the gate is open, or the task is cancelled.
    public func waitUntilOpen() async {
        let number = state.locked(in: self) { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The cancellation handler may run before the continuation is stored: check for cancellation here too.
                let isDone = state.locked(in: self) { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.locked(in: self) { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
