#if Service
import NIOCore
import PlatformImage
import Synchronization

/// One request that waits for the addresses of a host, until it ends for the first time.
final class LookupWaiter: Sendable {
    typealias Outcome = Result<[IPAddress], ServiceError>

    private enum State {
        case created
        case waiting(CheckedContinuation<Outcome, Never>, Scheduled<Void>?, isRunning: Bool)
        case ended(Outcome)
    }

    /// For the wait for a thread, and again for the look-up itself; nil means no limit.
    let timeout: Duration?
    private let state = Mutex(State.created)

    init(timeout: Duration?) { self.timeout = timeout }

    var hasEnded: Bool {
        state.locked(in: self) {
            if case .ended = $0 { true } else { false }
        }
    }

    /// Returns false when it ended before it began; the continuation is resumed then.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let ended = state.locked(in: self) { state -> Outcome? in
            if case .ended(let outcome) = state { return outcome }
            state = .waiting(continuation, nil, isRunning: false)
            return nil
        }
        if let ended { continuation.resume(returning: ended) }
        return ended == nil
    }

    /// Replaces the timer; the timer of a look-up that runs is never replaced by that of the wait before it.
    func hold(_ timer: Scheduled<Void>, isRunning: Bool) {
        let obsolete = state.locked(in: self) { state -> Scheduled<Void>? in
            guard case .waiting(let continuation, let old, let wasRunning) = state, isRunning || !wasRunning else {
                return timer
            }
            state = .waiting(continuation, timer, isRunning: isRunning)
            return old
        }
        obsolete?.cancel()
    }

    /// Ends it, unless it has ended.
    func end(_ outcome: Outcome) {
        let (continuation, timer) = state.locked(in: self) {
            state -> (CheckedContinuation<Outcome, Never>?, Scheduled<Void>?) in
            defer { if case .ended = state {} else { state = .ended(outcome) } }
            guard case .waiting(let continuation, let timer, _) = state else { return (nil, nil) }
            return (continuation, timer)
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
    }
}
#endif
