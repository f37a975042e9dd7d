internal import PlatformImage
internal import Synchronization

/// The priority of a load, from the lowest to the highest.
///
/// The priorities form two lanes: `background` and `slow` share the slow lane, `urgent` and `immediate` the urgent
/// lane. Each lane has a maximum number of concurrent fetches. Within a lane, waiting fetches start in order of
/// priority, and first in, first out within one priority; a running fetch is not interrupted. Loads that wait for one
/// download share the highest of their priorities.
public enum LoadPriority: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// As ``slow``, but a fetch starts only while no fetch of priority `slow` waits.
    case background = -1
    /// At most ``ImageLoader/Configuration/slowWidth`` loads of priority `slow` or `background` are fetched
    /// concurrently, by default 1. A fetch starts only while no fetch of the urgent lane waits or runs.
    case slow = 0
    /// At most ``ImageLoader/Configuration/urgentWidth`` loads of priority `urgent` or `immediate` are fetched
    /// concurrently, by default 8.
    case urgent = 1
    /// As ``urgent``, but a fetch starts before all waiting fetches of priority `urgent`.
    case immediate = 2

    /// True when `a` is the lower priority.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// True for the priorities of the urgent lane.
    var usesUrgentLane: Bool { self >= .urgent }
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
    /// The corresponding priority of the decode queue: `high` for the urgent lane, otherwise `low`.
    var decodePriority: DecodeQueue.Priority { priority.usesUrgentLane ? .high : .low }
}
