#if Loader
internal import PlatformImage
internal import Synchronization

/// How soon a load is wanted.
public enum LoadPriority: Int, Hashable, Sendable, CaseIterable {
    /// One after the other, while nothing urgent is under way.
    case slow
    /// Side by side.
    case urgent
}

/// Work whose place in the lanes follows the priority of the loads that wait for it.
protocol PrioritizedWork: Sendable {
    /// Changes the priority of one waiting load; no effect when it no longer waits.
    func setPriority(_ priority: LoadPriority)
}

/// The priority of a load, and the work that it waits for.
final class PriorityCell: Sendable {
    private struct State {
        var priority: LoadPriority
        var work: (any PrioritizedWork)?
    }

    private let state: Mutex<State>

    init(_ priority: LoadPriority) { state = Mutex(State(priority: priority)) }

    var priority: LoadPriority { state.locked(in: self) { $0.priority } }

    /// Wants it sooner or later from now on, whatever the load is doing.
    func set(_ priority: LoadPriority) {
        let work = state.locked(in: self) { state in
            state.priority = priority
            return state.work
        }
        work?.setPriority(priority)
    }

    /// The work that the load waits for now; nil when it has ended.
    func attach(_ work: (any PrioritizedWork)?) {
        let priority = state.locked(in: self) { state in
            state.work = work
            return state.priority
        }
        work?.setPriority(priority)
    }
}

extension PriorityCell {
    /// The lane of the decode queue.
    var decodePriority: DecodeQueue.Priority { priority == .urgent ? .high : .low }
}
#endif
