internal import PlatformImage
internal import Synchronization

/// A value for each waiter of a running job, for example the size that the waiter needs.
final class WaiterValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        /// By number, which increases.
        var values: [Key: [UInt64: Value]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Number of jobs with values, for tests.
    var count: Int { state.locked(in: self) { $0.values.count } }

    /// Adds the value of a waiter; returns its number for ``remove(_:from:)``.
    func add(_ value: Value, to key: Key) -> UInt64 {
        state.locked(in: self) { state in
            state.lastNumber += 1
            state.values[key, default: [:]][state.lastNumber] = value
            return state.lastNumber
        }
    }

    /// Removes the value of a waiter.
    func remove(_ number: UInt64, from key: Key) {
        state.locked(in: self) { state in
            state.values[key]?[number] = nil
            if state.values[key]?.isEmpty == true { state.values[key] = nil }
        }
    }

    /// The values of the waiters of a job, in the order in which they were added.
    func values(of key: Key) -> [Value] {
        let values = state.locked(in: self) { $0.values[key] ?? [:] }
        return values.sorted { $0.key < $1.key }.map(\.value)
    }
}
