#if AsyncHTTPClient
import Synchronization

/// Something that waits until a test says so: closed once, then open for ever.
public final class OriginGate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    /// A closed gate.
    public init() {}

    /// Lets all through, now and later.
    public func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .closed(let waiting) = state else { return [] }
            state = .open
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open. A gate that nobody opens holds its waiters: open it when the test ends.
    public func opened() async {
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
