import Dispatch
import Synchronization

/// The worker processes of one ``DecodeWorkers``: lends them to requests and replaces those that end.
///
/// At most ``width`` requests have a worker at the same time. One more process is kept ready, so that the request after
/// the end of a worker does not wait for the start of a process. Animations have workers of their own.
final class WorkerSupply: Sendable {
    private struct IdleWorker {
        let worker: WorkerProcess
        var since: ContinuousClock.Instant
        /// Number of a request that is measured and may be continued; nil for none.
        var measured: UInt64?
        var hasReleasedMemory = false
    }

    private final class Waiter: Sendable {
        let isServed = DispatchSemaphore(value: 0)
        let result = Mutex<Result<WorkerProcess, DecodeError>?>(nil)

        func serve(_ result: Result<WorkerProcess, DecodeError>) {
            self.result.locked(in: self) { $0 = result }
            isServed.signal()
        }
    }

    private struct SupplyState {
        /// The most recently used worker is last.
        var idle: [IdleWorker] = []
        var waiters: [Waiter] = []
        /// Workers that requests have.
        var lentCount = 0
        /// Workers that animations have, or start.
        var sessionCount = 0
        /// Workers that animations start: they are counted in ``sessionCount``, and not yet in ``processes``.
        var startingSessionCount = 0
        var processes: Set<Int32> = []
        /// Workers whose decode was stopped; the thread ends them, so that the decode returns at once.
        var ending: [WorkerProcess] = []
        var requestCounts: [Int32: Int] = [:]
        /// True while the thread waits for a signal without a time-out.
        var isThreadWaiting = false
        var isClosed = false
        /// Consecutive starts that failed.
        var failedStarts = 0
        /// Workers that ended while they were idle, since the last request.
        var idleEnds = 0
        var lastEnd: ContinuousClock.Instant?
        /// The end of ``WorkerSupply/firstDelay``.
        let firstDelayEnd = ContinuousClock.now + WorkerSupply.firstDelay
        var statistics = DecodeWorkers.Statistics()

        /// Workers that requests have or can have.
        var requestWorkerCount: Int { processes.count + startingSessionCount - sessionCount }
    }

    /// Maximum number of open animations.
    static let maxSessions = 64
    /// Consecutive failures of a start after which waiting requests fail.
    private static let maxFailedStarts = 5
    private static let failureDelay = Duration.milliseconds(20)
    /// Time between the end of a worker and the start of its replacement, in which the next request uses the processor.
    private static let startDelay = Duration.milliseconds(3)
    /// The delay doubles with each worker that ends while it is idle, up to this power of 2 (0.8 s): another program or
    /// the OOM killer may end each new worker.
    private static let maxDelayExponent = 8
    /// Time after the start of the first worker in which others are started only for requests that wait, so that they
    /// do not delay the first request of a program.
    private static let firstDelay = Duration.milliseconds(100)
    private static let idleTime = Duration.seconds(3)

    let width: Int
    private let configuration: DecodeWorkers.Configuration
    private let start: @Sendable () throws(DecodeError) -> WorkerProcess
    private let state: Mutex<SupplyState>
    /// Signalled when the thread of the supply has work.
    private let alarm = WorkerAlarm()

    /// - Parameter start: Starts a worker process.
    init(
        first: WorkerProcess, _ configuration: DecodeWorkers.Configuration,
        start: @escaping @Sendable () throws(DecodeError) -> WorkerProcess
    ) {
        self.configuration = configuration
        self.start = start
        width = configuration.workerCount
        var initial = SupplyState()
        initial.idle = [IdleWorker(worker: first, since: .now)]
        initial.processes = [first.processIdentifier]
        state = Mutex(initial)
        // The fuzz target replaces no workers, and a thread for each of its inputs would be slow.
        #if !FUZZING
        // The thread retains the supply until `close`.
        let failure = DetachedThread.start { [self] in maintain() }
        precondition(failure == nil, "pthread_create failed with error \(failure ?? 0)")
        #endif
    }

    /// Ends the idle workers and the thread; called when no request is left.
    func close() {
        let idle = state.locked(in: self) { state in
            state.isClosed = true
            defer { (state.idle, state.ending) = ([], []) }
            return state.idle.map(\.worker) + state.ending
        }
        for worker in idle { _ = worker.stop() }
        alarm.signal()
    }

    var statistics: DecodeWorkers.Statistics {
        state.locked(in: self) { state in
            var statistics = state.statistics
            statistics.aliveWorkers = state.processes.count
            statistics.busyWorkers = state.lentCount + state.sessionCount
            return statistics
        }
    }

    var processIdentifiers: [Int32] { state.locked(in: self) { $0.processes.sorted() } }

    var nextProcessIdentifier: Int32? {
        state.locked(in: self) { state in
            (state.idle.last { $0.measured == nil } ?? state.idle.first)?.worker.processIdentifier
        }
    }

    var residentSlabBytes: Int {
        state.locked(in: self) { state in state.idle.reduce(0) { $0 + $1.worker.residentSlabBytes } }
    }

    // MARK: Requests

    /// Returns a free worker; waits until there is one.
    ///
    /// - Parameter input: The input of the request; a worker that already has it is preferred.
    /// - Throws: `workerUnavailable`; the error of `flag` when it is raised before.
    func acquire(
        _ flag: CancellationFlag?, for input: RetainedInput? = nil
    ) throws(DecodeError) -> WorkerProcess {
        let waiter = Waiter()
        let free = state.locked(in: self) { state -> WorkerProcess? in
            state.statistics.requests += 1
            if state.waiters.isEmpty, let worker = lend(&state, for: input) { return worker }
            state.waiters.append(waiter)
            state.statistics.waits += 1
            return nil
        }
        if let free { return free }
        alarm.signal()
        let start = ContinuousClock.now
        defer {
            let time = ContinuousClock.now - start
            state.locked(in: self) { $0.statistics.waitTime += time }
        }
        while waiter.isServed.wait(timeout: .now() + .milliseconds(flag == nil ? 1000 : 4)) == .timedOut {
            do throws(DecodeError) {
                try flag?.poll()
            } catch {
                let wasWaiting = state.locked(in: self) { state -> Bool in
                    guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
                    state.waiters.remove(at: index)
                    return true
                }
                if !wasWaiting {
                    waiter.isServed.wait()
                    if case .success(let worker)? = waiter.result.locked(in: waiter, { $0 }) { release(worker) }
                }
                throw error
            }
        }
        let result = waiter.result.locked(in: waiter) { $0 }
        return try (result ?? .failure(DecodeError(.internal, "a waiting request was served without a result"))).get()
    }

    /// Returns the worker that has measured a request; nil when another request uses it.
    func resume(_ worker: WorkerProcess, number: UInt64) -> Bool {
        state.locked(in: self) { state in
            guard state.lentCount < width,
                let index = state.idle.firstIndex(where: { $0.worker === worker && $0.measured == number })
            else { return false }
            state.idle.remove(at: index)
            state.lentCount += 1
            return true
        }
    }

    /// Makes a worker available for other requests.
    ///
    /// - Parameter measured: Number of the request that can be continued with ``resume(_:number:)``; nil for none.
    func release(_ worker: WorkerProcess, measured: UInt64? = nil) {
        if !finish(worker, measured: measured, isSession: false) { retire(worker) }
    }

    /// Ends a worker after a failed request, and has it replaced.
    ///
    /// - Returns: As ``WorkerProcess/stop()``.
    func discard(_ worker: WorkerProcess, isSession: Bool = false) -> String {
        let end = worker.stop()
        let served = state.locked(in: self) { state in
            if isSession { state.sessionCount -= 1 } else { state.lentCount -= 1 }
            forget(worker, &state)
            return serve(&state)
        }
        deliver(served)
        alarm.signal()
        return end
    }

    /// Ends and replaces a worker without waiting for its end.
    func discardLater(_ worker: WorkerProcess, isSession: Bool = false) {
        state.locked(in: self) { state in
            if isSession { state.sessionCount -= 1 } else { state.lentCount -= 1 }
            forget(worker, &state)
            if !state.isClosed { state.ending.append(worker) }
        }
        alarm.signal()
    }

    /// Counts an ended worker.
    func count(_ reason: DecodeWorkers.EndReason) {
        state.locked(in: self) { $0.statistics.endedWorkers[reason, default: 0] += 1 }
    }

    /// Returns a worker for an animation: a free one when another one stays ready, otherwise a new process.
    ///
    /// - Throws: `workerUnavailable`.
    func acquireSession() throws(DecodeError) -> WorkerProcess {
        let idle = try state.locked(in: self) { state throws(DecodeError) -> WorkerProcess? in
            state.statistics.requests += 1
            guard state.sessionCount < Self.maxSessions else {
                throw DecodeError(
                    .workerUnavailable, detail: "busy", "\(Self.maxSessions) animations are open in workers")
            }
            state.sessionCount += 1
            if state.idle.count > 1, state.waiters.isEmpty { return removeIdle(&state) }
            state.startingSessionCount += 1
            return nil
        }
        if let idle {
            alarm.signal()
            return idle
        }
        var attempts = 0
        while true {
            do throws(DecodeError) {
                let worker = try start()
                state.locked(in: self) { state in
                    state.startingSessionCount -= 1
                    state.processes.insert(worker.processIdentifier)
                }
                return worker
            } catch {
                attempts += 1
                // Another program or the OOM killer can end a process while it starts.
                if error.detail == "system", attempts < Self.maxFailedStarts { continue }
                state.locked(in: self) { state in
                    state.startingSessionCount -= 1
                    state.sessionCount -= 1
                }
                throw error
            }
        }
    }

    /// Makes the worker of an animation available for requests, or ends it when there are enough.
    func endSession(_ worker: WorkerProcess) {
        if !finish(worker, measured: nil, isSession: true) { retire(worker) }
    }

    /// Returns a worker to the idle ones; false when it must be ended instead.
    private func finish(_ worker: WorkerProcess, measured: UInt64?, isSession: Bool) -> Bool {
        let (isKept, served, wakesThread) = state.locked(in: self) { state -> (Bool, [Service], Bool) in
            if isSession { state.sessionCount -= 1 } else { state.lentCount -= 1 }
            let number = worker.processIdentifier
            state.requestCounts[number, default: 0] += 1
            state.idleEnds = 0
            let isOld =
                state.requestCounts[number] ?? 0 >= configuration.requestsPerWorker || worker.isExhausted
            let isNeeded = state.requestWorkerCount <= width + 1
            guard !isOld || measured != nil, isNeeded, !state.isClosed else {
                forget(worker, &state)
                if isOld { state.statistics.endedWorkers[.retired, default: 0] += 1 }
                return (false, serve(&state), false)
            }
            state.idle.append(IdleWorker(worker: worker, since: .now, measured: measured))
            defer { state.isThreadWaiting = false }
            return (true, serve(&state), state.isThreadWaiting)
        }
        deliver(served)
        if wakesThread { alarm.signal() }
        return isKept
    }

    private func retire(_ worker: WorkerProcess) {
        _ = worker.stop()
        alarm.signal()
    }

    private func forget(_ worker: WorkerProcess, _ state: inout SupplyState) {
        state.processes.remove(worker.processIdentifier)
        state.requestCounts[worker.processIdentifier] = nil
        state.lastEnd = .now
    }

    /// Lends an idle worker; nil when there is none, or when `width` requests have one.
    private func lend(_ state: inout SupplyState, for input: RetainedInput? = nil) -> WorkerProcess? {
        guard state.lentCount < width, let worker = removeIdle(&state, for: input) else { return nil }
        state.lentCount += 1
        return worker
    }

    /// Removes the most recently used worker without a measured request, or else the oldest with one.
    private func removeIdle(_ state: inout SupplyState, for input: RetainedInput? = nil) -> WorkerProcess? {
        if let input, let index = state.idle.lastIndex(where: { $0.worker.input == input }) {
            return state.idle.remove(at: index).worker
        }
        if let index = state.idle.lastIndex(where: { $0.measured == nil }) {
            return state.idle.remove(at: index).worker
        }
        return state.idle.isEmpty ? nil : state.idle.removeFirst().worker
    }

    private struct Service {
        let waiter: Waiter
        let worker: WorkerProcess
    }

    private func serve(_ state: inout SupplyState) -> [Service] {
        var served: [Service] = []
        while !state.waiters.isEmpty, let worker = lend(&state) {
            served.append(Service(waiter: state.waiters.removeFirst(), worker: worker))
        }
        return served
    }

    private func deliver(_ served: [Service]) {
        for service in served { service.waiter.serve(.success(service.worker)) }
    }

    // MARK: Maintenance

    /// Work of the supply's thread: starts missing workers, ends those that have died while they were idle, and
    /// releases the memory of idle ones.
    private func maintain() {
        while true {
            let next = state.locked(in: self) { state -> (delay: Int, idle: [Int32])? in
                guard !state.isClosed else { return nil }
                let delay = nextDelay(state)
                // With a delay, the end of a worker that becomes idle later is noticed after it.
                state.isThreadWaiting = delay == .max
                return (delay, state.idle.map(\.worker.descriptor))
            }
            guard let next else { return }
            alarm.wait(milliseconds: next.delay, orEndOf: next.idle)
            endDiscarded()
            endDeadWorkers()
            releaseIdleMemory()
            let isDue = state.locked(in: self) { state in
                !state.isClosed && isMissing(state) && startIsDue(state)
            }
            if isDue { startWorker() }
        }
    }

    private func endDiscarded() {
        let (ending, served) = state.locked(in: self) { state -> ([WorkerProcess], [Service]) in
            defer { state.ending = [] }
            return (state.ending, serve(&state))
        }
        deliver(served)
        for worker in ending { _ = worker.stop() }
    }

    /// Ends and replaces idle workers that another program or the OOM killer has ended: they would be zombies, with
    /// their descriptors, until a request uses them.
    private func endDeadWorkers() {
        let dead = state.locked(in: self) { state -> [WorkerProcess] in
            let dead = state.idle.map(\.worker).filter(\.hasEnded)
            guard !dead.isEmpty else { return [] }
            state.idle.removeAll { entry in dead.contains { $0 === entry.worker } }
            state.idleEnds += dead.count
            state.statistics.endedWorkers[.killed, default: 0] += dead.count
            for worker in dead { forget(worker, &state) }
            return dead
        }
        for worker in dead { _ = worker.stop() }
    }

    private func isMissing(_ state: SupplyState) -> Bool { state.requestWorkerCount < width + 1 }

    /// The time at which a missing worker is to be started; nil for now.
    private func startTime(_ state: SupplyState) -> ContinuousClock.Instant? {
        let first = state.waiters.isEmpty ? state.firstDelayEnd : nil
        let next = state.lastEnd.map { lastEnd in
            if state.failedStarts > 0 { return lastEnd + Self.failureDelay }
            guard state.waiters.isEmpty else { return lastEnd }
            return lastEnd + Self.startDelay * (1 << min(state.idleEnds, Self.maxDelayExponent))
        }
        return [first, next].compactMap(\.self).max()
    }

    private func startIsDue(_ state: SupplyState) -> Bool { startTime(state).map { $0 <= .now } ?? true }

    /// Milliseconds until the thread has work; `Int.max` when it has none.
    private func nextDelay(_ state: SupplyState) -> Int {
        if isMissing(state) {
            guard let time = startTime(state) else { return 0 }
            let delay = time - .now
            return delay <= .zero ? 0 : Int(delay / .milliseconds(1)) + 1
        }
        return state.idle.contains { !$0.hasReleasedMemory } ? 250 : .max
    }

    private func startWorker() {
        do throws(DecodeError) {
            let worker = try start()
            let (isSuperfluous, served) = state.locked(in: self) { state -> (Bool, [Service]) in
                state.failedStarts = 0
                // The worker of an animation can have been returned during the start.
                guard !state.isClosed, isMissing(state) else { return (true, []) }
                state.processes.insert(worker.processIdentifier)
                state.idle.append(IdleWorker(worker: worker, since: .now))
                return (false, serve(&state))
            }
            deliver(served)
            if isSuperfluous { _ = worker.stop() }
        } catch {
            let failed = state.locked(in: self) { state -> [Waiter] in
                state.failedStarts += 1
                state.lastEnd = .now
                // Other workers serve the waiting requests.
                let hasWorkers = !state.processes.isEmpty
                guard state.failedStarts >= Self.maxFailedStarts, !hasWorkers else { return [] }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in failed { waiter.serve(.failure(error)) }
        }
    }

    /// Releases the shared memory and the unused memory of workers that have been idle for some time.
    func releaseIdleMemory(now: ContinuousClock.Instant = .now) {
        while true {
            let worker = state.locked(in: self) { state -> WorkerProcess? in
                let due = state.idle.firstIndex { !$0.hasReleasedMemory && $0.since + Self.idleTime <= now }
                // Removed from the idle workers, so that no request uses it now.
                guard let due, !state.isClosed else { return nil }
                return state.idle.remove(at: due).worker
            }
            guard let worker else { return }
            worker.releaseSlab(keeping: configuration.idleSlabBytes)
            worker.releaseMemory()
            let (isClosed, served) = state.locked(in: self) { state -> (Bool, [Service]) in
                guard !state.isClosed else { return (true, []) }
                state.idle.insert(IdleWorker(worker: worker, since: now, hasReleasedMemory: true), at: 0)
                return (false, serve(&state))
            }
            deliver(served)
            if isClosed { _ = worker.stop() }
        }
    }
}
