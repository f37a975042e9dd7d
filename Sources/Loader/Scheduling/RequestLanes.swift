#if Loader
import PlatformImage
import Synchronization

/// Lets so many fetches at once talk to the network: urgent ones in parallel, slow ones one by one and only while no
/// urgent one waits or runs (O66 to O70).
///
/// A stream of urgent work keeps slow work waiting for as long as it lasts; ``counts`` shows it.
final class RequestLanes: Sendable {
    private struct Pass {
        var lane: LoadPriority
        var phase = Phase.outside
    }

    /// Whoever takes a pass out of `waiting` resumes the continuation, and nobody else.
    private enum Phase {
        case outside
        /// Its task was cancelled on its way in, before there was anything to resume.
        case cancelledBeforeWaiting
        case waiting(CheckedContinuation<Bool, Never>)
        case inside
    }

    private struct State {
        var schedule: LaneSchedule
        /// By number; nil for a number that can be given out again.
        var passes: [Pass?] = []
        var freeNumbers: [UInt64] = []

        mutating func setPhase(_ phase: Phase, of number: UInt64) { passes[Int(number)]?.phase = phase }
    }

    private let state: Mutex<State>

    /// Lanes in which nothing waits.
    ///
    /// - Parameters:
    ///   - urgentWidth: Urgent fetches at once; 0 lets none in, a negative number traps.
    ///   - slowWidth: Slow fetches at once; 0 lets none in, a negative number traps.
    init(urgentWidth: Int = 8, slowWidth: Int = 1) {
        state = Mutex(State(schedule: LaneSchedule(urgentWidth: urgentWidth, slowWidth: slowWidth)))
    }

    /// What waits and what runs now.
    var counts: LaneCounts { state.locked(in: self) { $0.schedule.counts } }

    /// Passes that are alive, for tests: 0 when every fetch has ended.
    var passCount: Int { state.locked(in: self) { $0.passes.count - $0.freeNumbers.count } }

    /// A pass for one fetch, for all its attempts; it leaves no trace when it is released.
    func pass(_ lane: LoadPriority) -> LanePass {
        let number = state.locked(in: self) { state in
            let pass = Pass(lane: lane)
            if let number = state.freeNumbers.popLast() {
                state.passes[Int(number)] = pass
                return number
            }
            state.passes.append(pass)
            return UInt64(state.passes.count - 1)
        }
        return LanePass(number: number, lanes: self)
    }

    /// Waits for a slot, holds it while `body` runs, and gives it back.
    ///
    /// A fetch that waits for its next attempt is outside: it calls this again for it, and holds nobody up meanwhile.
    ///
    /// - Parameter pass: Is used by one call at a time; a second one traps.
    /// - Throws: `cancelled` when the task was cancelled before it had a slot, `body` then never ran; or what `body`
    ///   throws.
    func withSlot<Result: Sendable>(
        _ pass: LanePass, _ body: () async throws(LoadError) -> Result
    ) async throws(LoadError) -> Result {
        precondition(pass.lanes === self, "the pass is of other lanes")
        guard await enter(pass.number) else { throw .cancelled() }
        defer { leave(pass.number) }
        return try await body()
    }

    /// Changes the lane of a fetch, wherever it is: one that waits moves to the end of the other lane, one that runs goes
    /// on and counts there, one that is outside will wait there.
    func move(_ pass: LanePass, to lane: LoadPriority) {
        precondition(pass.lanes === self, "the pass is of other lanes")
        change { state in
            state.passes[Int(pass.number)]?.lane = lane
            state.schedule.move(pass.number, to: lane)
        }
    }

    /// Changes how many may run at once: more start at once, those that are too many finish first.
    func setWidths(urgent: Int, slow: Int) {
        change { $0.schedule.setWidths(urgent: urgent, slow: slow) }
    }

    /// Lets nobody in until ``resume()``; what runs goes on.
    func suspend() { change { $0.schedule.isSuspended = true } }

    /// Ends ``suspend()``, however often that was called.
    func resume() { change { $0.schedule.isSuspended = false } }

    fileprivate func forget(_ number: UInt64) {
        state.locked(in: self) { state in
            state.passes[Int(number)] = nil
            state.freeNumbers.append(number)
        }
    }

    /// False when the task was cancelled before it had a slot.
    private func enter(_ number: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = change { state in
                    guard let pass = state.passes[Int(number)] else { preconditionFailure("no pass \(number)") }
                    switch pass.phase {
                    case .outside:
                        state.setPhase(.waiting(continuation), of: number)
                        state.schedule.enqueue(number, in: pass.lane)
                        return false
                    case .cancelledBeforeWaiting:
                        state.setPhase(.outside, of: number)
                        return true
                    case .waiting, .inside:
                        preconditionFailure("a pass serves one call at a time")
                    }
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let waiting: CheckedContinuation<Bool, Never>? = change { state in
            switch state.passes[Int(number)]?.phase {
            case .outside:
                state.setPhase(.cancelledBeforeWaiting, of: number)
                return nil
            case .waiting(let continuation):
                state.setPhase(.outside, of: number)
                state.schedule.leave(number)
                return continuation
            case .cancelledBeforeWaiting, .inside, nil:
                return nil
            }
        }
        waiting?.resume(returning: false)
    }

    private func leave(_ number: UInt64) {
        change { state in
            state.setPhase(.outside, of: number)
            state.schedule.leave(number)
        }
    }

    /// Changes the state and lets in whoever may go now, outside the lock.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        var admitted: [CheckedContinuation<Bool, Never>] = []
        let result = state.locked(in: self) { state in
            let result = body(&state)
            while let number = state.schedule.admitNext() {
                guard case .waiting(let continuation) = state.passes[Int(number)]?.phase else {
                    preconditionFailure("pass \(number) was let in and does not wait")
                }
                state.setPhase(.inside, of: number)
                admitted.append(continuation)
            }
            return result
        }
        for continuation in admitted { continuation.resume(returning: true) }
        return result
    }
}

/// What one fetch stands in the lanes with.
final class LanePass: Sendable {
    fileprivate let number: UInt64
    fileprivate let lanes: RequestLanes

    fileprivate init(number: UInt64, lanes: RequestLanes) {
        self.number = number
        self.lanes = lanes
    }

    deinit { lanes.forget(number) }
}
#endif
