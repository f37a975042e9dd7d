import PlatformImage
import Synchronization

/// A request that waits for a DNS lookup; only its first result counts.
final class LookupWaiter: Sendable {
    typealias Resolution = Result<[IPAddress], ServiceError>

    private enum State {
        case created
        case waiting(CheckedContinuation<Resolution, Never>, Task<Void, Never>?, isRunning: Bool)
        case ended(Resolution)
    }

    /// Time limit, applied separately to the wait for a thread and to the lookup itself; nil means no limit.
    let timeout: Duration?
    private let state = Mutex(State.created)

    init(timeout: Duration?) { self.timeout = timeout }

    var isFinished: Bool {
        state.locked(in: self) {
            if case .ended = $0 { true } else { false }
        }
    }

    /// Stores the continuation; returns false and resumes it when the request has already ended.
    func begin(_ continuation: CheckedContinuation<Resolution, Never>) -> Bool {
        let ended = state.locked(in: self) { state -> Resolution? in
            if case .ended(let resolution) = state { return resolution }
            state = .waiting(continuation, nil, isRunning: false)
            return nil
        }
        if let ended { continuation.resume(returning: ended) }
        return ended == nil
    }

    /// Replaces the timer. The new timer is cancelled instead if the request has ended, or if it limits the wait for a
    /// thread and the timer of the running lookup is already set.
    ///
    /// - Parameter isRunning: True for the timer of the lookup itself, false for the timer of the wait for a thread.
    func setTimer(_ timer: Task<Void, Never>, isRunning: Bool) {
        let obsolete = state.locked(in: self) { state -> Task<Void, Never>? in
            guard case .waiting(let continuation, let old, let wasRunning) = state, isRunning || !wasRunning else {
                return timer
            }
            state = .waiting(continuation, timer, isRunning: isRunning)
            return old
        }
        obsolete?.cancel()
    }

    /// Ends the request with a result; does nothing when it has already ended.
    func finish(_ resolution: Resolution) {
        let (continuation, timer) = state.locked(in: self) {
            state -> (CheckedContinuation<Resolution, Never>?, Task<Void, Never>?) in
            defer { if case .ended = state {} else { state = .ended(resolution) } }
            guard case .waiting(let continuation, let timer, _) = state else { return (nil, nil) }
            return (continuation, timer)
        }
        timer?.cancel()
        continuation?.resume(returning: resolution)
    }
}
