internal import PlatformImage
internal import Synchronization

/// Cancels the task of a job, also when ``cancel()`` is called before ``setTask(_:)``, and changes its priority in the
/// lanes.
final class JobHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var assignment: (permit: LanePermit, lanes: RequestLanes)?
        var priority: LoadPriority?
    }

    private let state = Mutex(State())

    /// Sets the lane permit that ``move(to:)`` acts on.
    ///
    /// - Parameter priority: The current priority of `permit`.
    func follow(_ permit: LanePermit, in lanes: RequestLanes, at priority: LoadPriority) {
        state.locked(in: self) { state in
            state.assignment = (permit, lanes)
            state.priority = priority
        }
    }

    /// Changes the priority of the job. Returns false when the job has no permit yet or has that priority already.
    func move(to priority: LoadPriority) -> Bool {
        let assignment: (permit: LanePermit, lanes: RequestLanes)? = state.locked(in: self) { state in
            guard let assignment = state.assignment, state.priority != priority else { return nil }
            state.priority = priority
            return assignment
        }
        guard let assignment else { return false }
        // Two moves may overtake each other outside the lock, so the last one applies the latest priority again.
        var applied = priority
        while true {
            assignment.lanes.move(assignment.permit, to: applied)
            let latest = state.locked(in: self) { $0.priority ?? applied }
            if latest == applied { return true }
            applied = latest
        }
    }

    func setTask(_ task: Task<Void, Never>) {
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
