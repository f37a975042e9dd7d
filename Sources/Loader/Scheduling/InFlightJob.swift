internal import PlatformImage
internal import Synchronization

/// One job of ``InFlightRequests`` and its waiters.
///
/// Lock order: the lock of ``InFlightRequests`` first, then the lock of the job.
final class InFlightJob<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Signal = InFlightSignal<Output>

    /// One waiter of the job.
    struct Registration: Sendable {
        let number: UInt64
        let channel: LoadChannel<Signal>
        var priority: LoadPriority
        /// False for a waiter that receives only the final signal.
        let wantsProgress: Bool
    }

    private struct State {
        var isRetained: Bool
        var isSending = false
        /// True after the job has ended or was abandoned by its last waiter.
        var hasEnded = false
        var waiters: [Registration]
    }

    let key: Key
    let handle = JobHandle()
    private let state: Mutex<State>

    init(_ key: Key, isRetained: Bool, waiter: Registration?) {
        self.key = key
        state = Mutex(State(isRetained: isRetained, waiters: waiter.map { [$0] } ?? []))
    }

    var waiterCount: Int { state.locked(in: self) { $0.waiters.count } }

    /// Adds a waiter.
    func add(_ registration: Registration, isRetained: Bool) {
        state.locked(in: self) { state in
            state.waiters.append(registration)
            if isRetained { state.isRetained = true }
            // No task reads the new channel yet, so there is no reader to resume.
            if state.isSending, registration.wantsProgress { _ = registration.channel.put(.sending) }
        }
    }

    /// Lets the job continue without waiters.
    func retain() { state.locked(in: self) { $0.isRetained = true } }

    /// Removes a waiter; returns true when no waiter remains and the job is not retained, so that it must be cancelled.
    func leave(_ number: UInt64) -> Bool {
        state.locked(in: self) { state in
            guard !state.hasEnded, let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                return false
            }
            state.waiters.remove(at: index)
            guard state.waiters.isEmpty, !state.isRetained else { return false }
            state.hasEnded = true
            return true
        }
    }

    /// Marks the job as ended and returns the channels that receive the final signal.
    func finish() -> [LoadChannel<Signal>] {
        state.locked(in: self) { state in
            guard !state.hasEnded else { return [] }
            state.hasEnded = true
            let waiters = state.waiters
            state.waiters = []
            return waiters.map(\.channel)
        }
    }

    /// Sends a signal to the waiters that want progress. Each of them receives `sending` once, also a waiter that
    /// joins after it was sent.
    func report(_ signal: Signal) {
        // Queued inside the lock, so that a waiter that joins now receives `sending` before any later signal.
        let wakes: [LoadChannel<Signal>.Wake] = state.locked(in: self) { state in
            guard !state.hasEnded else { return [] }
            var isProgress = false
            switch signal {
            case .sending:
                guard !state.isSending else { return [] }
                state.isSending = true
            case .progress: isProgress = true
            case .retrying, .ended, .left: break
            }
            var wakes: [LoadChannel<Signal>.Wake] = []
            for waiter in state.waiters where waiter.wantsProgress {
                if let wake = waiter.channel.put(signal, isProgress: isProgress) { wakes.append(wake) }
            }
            return wakes
        }
        for wake in wakes { wake.resume() }
    }

    func setPriority(_ priority: LoadPriority, of number: UInt64) {
        let isChanged = state.locked(in: self) { state in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }),
                state.waiters[index].priority != priority
            else { return false }
            state.waiters[index].priority = priority
            return true
        }
        if isChanged { updatePriority() }
    }

    /// Moves the job in ``RequestLanes`` to the highest priority of its waiters. Without waiters its priority is
    /// unchanged.
    func updatePriority() {
        // The job is moved outside the lock, so repeat until its lane matches the latest priorities.
        while true {
            let highest: LoadPriority? = state.locked(in: self) { state in
                guard !state.hasEnded, !state.waiters.isEmpty else { return nil }
                return state.waiters.lazy.map(\.priority).max()
            }
            guard let highest, handle.move(to: highest) else { return }
        }
    }
}

/// A signal from a job to its waiters.
enum InFlightSignal<Output: Sendable>: Sendable {
    /// A request is about to be sent to the origin.
    case sending
    case progress(received: Int, expected: Int?)
    case retrying(attempt: Int, delay: Duration, reason: LoadError)
    /// The last signal of a job that ended.
    case ended(Output)
    /// The last signal to a waiter that left the job.
    case left
}
