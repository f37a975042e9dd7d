#if Loader
internal import PlatformImage
internal import Synchronization

/// The priority of a load.
public enum LoadPriority: Int, Hashable, Sendable, CaseIterable {
    /// At most ``ImageLoader/Configuration/slowWidth`` loads are fetched concurrently, by default 1. A fetch starts
    /// only while no urgent fetch waits or runs.
    case slow
    /// At most ``ImageLoader/Configuration/urgentWidth`` loads are fetched concurrently, by default 8.
    case urgent
}

/// Work whose priority follows the priorities of the loads that wait for it.
protocol PrioritizedWork: Sendable {
    /// Changes the priority of one waiting load; has no effect when it no longer waits.
    func setPriority(_ priority: LoadPriority)
}

/// The current priority of a load, forwarded to the work that the load waits for.
final class PriorityCell: Sendable {
    private struct State {
        var priority: LoadPriority
        var work: (any PrioritizedWork)?
    }

    private let state: Mutex<State>

    init(_ priority: LoadPriority) { state = Mutex(State(priority: priority)) }

    var priority: LoadPriority { state.locked(in: self) { $0.priority } }

    /// Changes the priority, also for the work that the load waits for now.
    func set(_ priority: LoadPriority) {
        let work = state.locked(in: self) { state in
            state.priority = priority
            return state.work
        }
        work?.setPriority(priority)
    }

    /// Sets the work that the load waits for; nil when it waits for none.
    func attach(_ work: (any PrioritizedWork)?) {
        let priority = state.locked(in: self) { state in
            state.work = work
            return state.priority
        }
        work?.setPriority(priority)
    }
}

extension PriorityCell {
    /// The corresponding priority of the decode queue.
    var decodePriority: DecodeQueue.Priority { priority == .urgent ? .high : .low }
}
#endif
