#if Loader
internal import PlatformImage
internal import Synchronization

/// One piece of work of ``InFlightRequests`` and those who wait for it.
///
/// Its lock is taken inside that of the table, never the other way round.
final class InFlightJob<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Signal = InFlightSignal<Output>

    /// One who waits.
    struct Place: Sendable {
        let number: UInt64
        let channel: LoadChannel<Signal>
        var priority: LoadPriority
        /// False for one who wants the end alone.
        let hearsSteps: Bool
    }

    private struct State {
        var isKept: Bool
        var isSending = false
        /// True when it has ended, or was given up by the last one who waited.
        var isOver = false
        var waiters: [Place]
    }

    let key: Key
    let handle = JobHandle()
    private let state: Mutex<State>

    init(_ key: Key, isKept: Bool, waiter: Place?) {
        self.key = key
        state = Mutex(State(isKept: isKept, waiters: waiter.map { [$0] } ?? []))
    }

    var waiterCount: Int { state.locked(in: self) { $0.waiters.count } }

    /// Takes one more in.
    func add(_ place: Place, isKept: Bool) {
        state.locked(in: self) { state in
            state.waiters.append(place)
            if isKept { state.isKept = true }
            // Nobody reads it yet, so nobody is to be woken.
            if state.isSending, place.hearsSteps { _ = place.channel.put(.sending) }
        }
    }

    /// Makes it go on when nobody waits.
    func keep() { state.locked(in: self) { $0.isKept = true } }

    /// Lets one go; true when the work is given up with that.
    func leave(_ number: UInt64) -> Bool {
        state.locked(in: self) { state in
            guard !state.isOver, let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                return false
            }
            state.waiters.remove(at: index)
            guard state.waiters.isEmpty, !state.isKept else { return false }
            state.isOver = true
            return true
        }
    }

    /// Ends it, and gives those who are to be told of the end.
    func finish() -> [LoadChannel<Signal>] {
        state.locked(in: self) { state in
            guard !state.isOver else { return [] }
            state.isOver = true
            let waiters = state.waiters
            state.waiters = []
            return waiters.map(\.channel)
        }
    }

    /// Tells everyone who waits, and of `sending` once also those who come later.
    func tell(_ signal: Signal) {
        // Put in place inside the lock, so that a newcomer is told of the sending before anything that follows it.
        let wakes: [LoadChannel<Signal>.Wake] = state.locked(in: self) { state in
            guard !state.isOver else { return [] }
            var isProgress = false
            switch signal {
            case .sending:
                guard !state.isSending else { return [] }
                state.isSending = true
            case .progress: isProgress = true
            case .retrying, .ended, .left: break
            }
            var wakes: [LoadChannel<Signal>.Wake] = []
            for waiter in state.waiters where waiter.hearsSteps {
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

    /// Gives the work the highest priority of those who wait; when nobody does it keeps the one it had.
    func updatePriority() {
        // The work is told outside the lock, so it asks again until it knows the latest.
        while true {
            let highest: LoadPriority? = state.locked(in: self) { state in
                guard !state.isOver, !state.waiters.isEmpty else { return nil }
                return state.waiters.contains { $0.priority == .urgent } ? .urgent : .slow
            }
            guard let highest, handle.move(to: highest) else { return }
        }
    }
}

/// What a waiter is told.
enum InFlightSignal<Output: Sendable>: Sendable {
    /// The origin is being asked.
    case sending
    case progress(received: Int, expected: Int?)
    case retrying(attempt: Int, delay: Duration, reason: LoadError)
    /// The last signal of work that ended.
    case ended(Output)
    /// The last signal of a waiter that left.
    case left
}
#endif
