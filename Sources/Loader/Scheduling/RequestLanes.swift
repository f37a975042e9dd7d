import PlatformImage
import Synchronization

/// Limits concurrent network fetches by priority. There are two lanes, each for two priorities: queues of waiting
/// fetches and a maximum number of running ones. Urgent fetches run in parallel; slow fetches run one at a time by
/// default, and start only while no urgent fetch waits or runs (O66 to O70 in Docs/originals.md). Within a lane,
/// waiting fetches of higher priority start first.
///
/// Continuous urgent work starves the slow lane; ``counts`` shows this.
final class RequestLanes: Sendable {
    private struct PermitState {
        var priority: LoadPriority
        var phase = Phase.outside
    }

    /// Phase of a permit. The code that changes it from `waiting` resumes the continuation, exactly once.
    private enum Phase {
        case outside
        /// The task was cancelled before its continuation existed.
        case cancelledBeforeWaiting
        case waiting(CheckedContinuation<Bool, Never>)
        case inside
    }

    private struct State {
        var schedule: LaneSchedule
        /// Permits by number; nil for a number that can be reused.
        var permits: [PermitState?] = []
        var freeNumbers: [UInt64] = []

        mutating func setPhase(_ phase: Phase, of number: UInt64) { permits[Int(number)]?.phase = phase }
    }

    private let state: Mutex<State>

    /// Creates lanes without fetches.
    ///
    /// - Parameters:
    ///   - urgentWidth: Maximum number of concurrent urgent fetches; 0 admits none, a negative number traps.
    ///   - slowWidth: Maximum number of concurrent slow fetches; 0 admits none, a negative number traps.
    init(urgentWidth: Int = 8, slowWidth: Int = 1) {
        state = Mutex(State(schedule: LaneSchedule(urgentWidth: urgentWidth, slowWidth: slowWidth)))
    }

    /// Current numbers of waiting and running fetches.
    var counts: LaneCounts { state.locked(in: self) { $0.schedule.counts } }

    /// Number of live permits, for tests: 0 when every fetch has ended.
    var permitCount: Int { state.locked(in: self) { $0.permits.count - $0.freeNumbers.count } }

    /// A permit for one fetch and all its attempts; its number is reused after it is released.
    func permit(_ priority: LoadPriority) -> LanePermit {
        let number = state.locked(in: self) { state in
            let permit = PermitState(priority: priority)
            if let number = state.freeNumbers.popLast() {
                state.permits[Int(number)] = permit
                return number
            }
            state.permits.append(permit)
            return UInt64(state.permits.count - 1)
        }
        return LanePermit(number: number, lanes: self)
    }

    /// Waits for a slot, holds it while `body` runs, and releases it.
    ///
    /// A fetch that waits for its next attempt holds no slot; it calls this again for each attempt.
    ///
    /// - Parameter permit: The permit of the fetch; a second concurrent call with the same permit traps.
    /// - Throws: `cancelled` when the task was cancelled before it had a slot, in which case `body` does not run; or
    ///   the error of `body`.
    func withSlot<Result: Sendable>(
        _ permit: LanePermit, _ body: () async throws(LoadError) -> Result
    ) async throws(LoadError) -> Result {
        precondition(permit.lanes === self, "the permit was created by another RequestLanes")
        guard await enter(permit.number) else { throw .cancelled() }
        defer { leave(permit.number) }
        return try await body()
    }

    /// Changes the priority of a fetch. A waiting fetch moves to the end of the queue of the new priority; a running
    /// fetch continues and counts in the lane of the new priority; a fetch that neither waits nor runs will wait with
    /// the new priority.
    func move(_ permit: LanePermit, to priority: LoadPriority) {
        precondition(permit.lanes === self, "the permit was created by another RequestLanes")
        change { state in
            state.permits[Int(permit.number)]?.priority = priority
            state.schedule.move(permit.number, to: priority)
        }
    }

    /// Changes the maximum numbers of running fetches. Waiting fetches that the new numbers permit start immediately;
    /// a smaller number does not interrupt running fetches.
    func setWidths(urgent: Int, slow: Int) {
        change { $0.schedule.setWidths(urgent: urgent, slow: slow) }
    }

    /// Stops admission until ``resume()``; running fetches continue.
    func suspend() { change { $0.schedule.isSuspended = true } }

    /// Ends ``suspend()``; one call is sufficient after several calls of ``suspend()``.
    func resume() { change { $0.schedule.isSuspended = false } }

    fileprivate func release(_ number: UInt64) {
        state.locked(in: self) { state in
            state.permits[Int(number)] = nil
            state.freeNumbers.append(number)
        }
    }

    /// Waits for a slot; false when the task was cancelled before it had one.
    private func enter(_ number: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = change { state in
                    guard let permit = state.permits[Int(number)] else {
                        preconditionFailure("permit \(number) does not exist")
                    }
                    switch permit.phase {
                    case .outside:
                        state.setPhase(.waiting(continuation), of: number)
                        state.schedule.enqueue(number, priority: permit.priority)
                        return false
                    case .cancelledBeforeWaiting:
                        state.setPhase(.outside, of: number)
                        return true
                    case .waiting, .inside:
                        preconditionFailure("the permit is already in use")
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
            switch state.permits[Int(number)]?.phase {
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

    /// Changes the state, then resumes the newly admitted fetches outside the lock.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        var admitted: [CheckedContinuation<Bool, Never>] = []
        let result = state.locked(in: self) { state in
            let result = body(&state)
            while let number = state.schedule.admitNext() {
                guard case .waiting(let continuation) = state.permits[Int(number)]?.phase else {
                    preconditionFailure("permit \(number) was admitted but is not waiting")
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

/// Permit of one fetch to wait and run in the priority lanes.
final class LanePermit: Sendable {
    fileprivate let number: UInt64
    fileprivate let lanes: RequestLanes

    fileprivate init(number: UInt64, lanes: RequestLanes) {
        self.number = number
        self.lanes = lanes
    }

    deinit { lanes.release(number) }
}
