#if Loader
internal import PlatformImage
internal import Synchronization

/// A task that may be cancelled, and moved between lanes, before it is known.
final class JobHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var place: (pass: LanePass, lanes: RequestLanes)?
        var priority: LoadPriority?
    }

    private let state = Mutex(State())

    /// - Parameter lane: Where the place is now.
    func follow(_ pass: LanePass, in lanes: RequestLanes, at lane: LoadPriority) {
        state.locked(in: self) { state in
            state.place = (pass, lanes)
            state.priority = lane
        }
    }

    /// Moves the work to a lane; false when it was there.
    func move(to priority: LoadPriority) -> Bool {
        let place: (pass: LanePass, lanes: RequestLanes)? = state.locked(in: self) { state in
            guard let place = state.place, state.priority != priority else { return nil }
            state.priority = priority
            return place
        }
        guard let place else { return false }
        // Outside the lock two moves may pass each other, so the last one to arrive makes sure of the latest.
        var told = priority
        while true {
            place.lanes.move(place.pass, to: told)
            let latest = state.locked(in: self) { $0.priority ?? told }
            if latest == told { return true }
            told = latest
        }
    }

    func hold(_ task: Task<Void, Never>) {
        let isCancelled = state.locked(in: self) { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.locked(in: self) { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
#endif
