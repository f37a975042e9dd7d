#if Loader
internal import PlatformImage
internal import Synchronization

/// What a load or a fetch has cost so far.
struct LoadCost: Hashable, Sendable {
    /// Waiting for a place in the lanes.
    var queue = Duration.zero
    /// From sending requests to the heads of their responses.
    var firstByte = Duration.zero
    /// From the heads to the ends of the bodies.
    var transfer = Duration.zero
    /// Waiting for the disk.
    var disk = Duration.zero
    /// Decoding what was downloaded.
    var decode = Duration.zero
    /// Requests sent.
    var attempts = 0
    /// Bytes of bodies.
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

/// Adds up what one load costs, or one fetch that several loads share, on whatever threads it happens.
final class LoadMeter: Sendable {
    private struct State {
        var cost = LoadCost()
        var hasMissed = false
    }

    private let state = Mutex(State())

    var cost: LoadCost { state.locked(in: self) { $0.cost } }

    /// Adds what a fetch has cost that the load waited for.
    func add(_ cost: LoadCost) { state.locked(in: self) { $0.cost += cost } }

    /// Adds the time since an instant.
    func add(_ part: any WritableKeyPath<LoadCost, Duration> & Sendable, since begin: ContinuousClock.Instant) {
        let duration = begin.duration(to: .now)
        state.locked(in: self) { $0.cost[keyPath: part] += duration }
    }

    /// Counts a request and gives its number, from 1.
    func countAttempt() -> Int {
        state.locked(in: self) { state in
            state.cost.attempts += 1
            return state.cost.attempts
        }
    }

    /// True the first time.
    func isFirstMiss() -> Bool {
        state.locked(in: self) { state in
            defer { state.hasMissed = true }
            return !state.hasMissed
        }
    }
}

extension LoadTimings {
    /// Takes over the parts that a meter knows; once, when the load has ended.
    mutating func take(_ cost: LoadCost) {
        decode += cost.decode
        queue = cost.queue
        firstByte = cost.firstByte
        transfer = cost.transfer
        disk = cost.disk
    }
}
#endif
