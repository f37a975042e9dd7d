#if AsyncHTTPClient
import Synchronization

/// A one-time gate that a test opens: closed at first, then open forever.
public final class OriginGate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate and resumes all waiters.
    public func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .closed(let waiting) = state else { return [] }
            state = .open
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open. Ignores cancellation, so open every gate at the end of a test.
    public func waitUntilOpen() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
#endif
