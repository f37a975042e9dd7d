internal import PlatformImage
internal import Synchronization

/// Accumulated cost of a load or a fetch; durations are summed over all its requests.
struct LoadCost: Hashable, Sendable {
    /// Time spent waiting in ``RequestLanes`` for a slot of the load's priority.
    var queue = Duration.zero
    /// Time from sending the requests to receiving the heads of their responses.
    var firstByte = Duration.zero
    /// Time from receiving the heads to the ends of the bodies.
    var transfer = Duration.zero
    /// Time spent waiting for disk reads and writes.
    var disk = Duration.zero
    /// Time spent decoding downloaded bodies.
    var decode = Duration.zero
    /// Number of requests sent.
    var attempts = 0
    /// Body bytes received.
    var bytes = 0

    static func += (a: inout Self, b: Self) {
        a.queue += b.queue
        a.firstByte += b.firstByte
        a.transfer += b.transfer
        a.disk += b.disk
        a.decode += b.decode
        a.attempts += b.attempts
        a.bytes += b.bytes
    }
}

/// Accumulates the cost of one load, or of one fetch that several loads share; may be used from any thread.
final class LoadMeter: Sendable {
    private struct State {
        var cost = LoadCost()
        var hasMissed = false
    }

    private let state = Mutex(State())

    var cost: LoadCost { state.locked(in: self) { $0.cost } }

    /// Adds the cost of a fetch that the load waited for.
    func add(_ cost: LoadCost) { state.locked(in: self) { $0.cost += cost } }

    /// Adds the time elapsed since an instant.
    func add(_ part: any WritableKeyPath<LoadCost, Duration> & Sendable, since begin: ContinuousClock.Instant) {
        let duration = begin.duration(to: .now)
        state.locked(in: self) { $0.cost[keyPath: part] += duration }
    }

    /// Counts a request and returns its number, starting at 1.
    func countAttempt() -> Int {
        state.locked(in: self) { state in
            state.cost.attempts += 1
            return state.cost.attempts
        }
    }

    /// Returns true on the first call only.
    func isFirstMiss() -> Bool {
        state.locked(in: self) { state in
            defer { state.hasMissed = true }
            return !state.hasMissed
        }
    }
}

extension LoadTimings {
    /// Adds the decode time of `cost` and copies its other durations; must be called once, when the load has ended.
    mutating func add(_ cost: LoadCost) {
        decode += cost.decode
        queue = cost.queue
        firstByte = cost.firstByte
        transfer = cost.transfer
        disk = cost.disk
    }
}
