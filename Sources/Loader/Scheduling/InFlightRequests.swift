internal import PlatformImage
internal import Synchronization

/// A table of running jobs with at most one joinable job for each key (request coalescing).
///
/// A waiter receives the signals in the order in which the job sends them; a newer progress signal replaces one that is
/// still unread. The final signals are sent in the order in which the waiters joined. A waiter can leave without
/// affecting the others. When the last waiter leaves, the job is cancelled and its key becomes free immediately, unless
/// the job is retained.
///
/// Starting, joining, leaving and ending a job lock the table; sending a signal and changing a priority lock only the
/// ``InFlightJob``.
package final class InFlightRequests<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Signal = InFlightSignal<Output>
    typealias Job = InFlightJob<Key, Output>

    private struct State {
        var jobs: [Key: Job] = [:]
        var lastNumber: UInt64 = 0
        /// Number of jobs that have started.
        var started: UInt64 = 0
        /// Number of jobs that have ended.
        var ended: UInt64 = 0
    }

    private let state = Mutex(State())

    /// An empty table.
    package init() {}

    /// Number of jobs that can be joined now.
    var count: Int { state.locked(in: self) { $0.jobs.count } }

    /// Number of running jobs, including cancelled jobs that have not returned yet; 0 when all have ended.
    var runningCount: Int { state.locked(in: self) { Int($0.started - $0.ended) } }

    /// Number of waiters for `key` now.
    package func waiterCount(of key: Key) -> Int { state.locked(in: self) { $0.jobs[key]?.waiterCount ?? 0 } }

    /// Number of waiters for all keys now.
    var waiterTotal: Int { state.locked(in: self) { $0.jobs.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Number of ended jobs. A load reads it before its cache lookup; ``ProgressReporter/hasJobEnded(since:)`` compares
    /// it later to detect that another job has ended.
    var generation: UInt64 { state.locked(in: self) { $0.ended } }

    /// Joins the job of a key, or starts it when none is running.
    ///
    /// - Parameters:
    ///   - other: A second key, whose running job is joined when ``key`` has none; nil for none. A job that is started
    ///     has the first key.
    ///   - priority: Priority of this waiter; the job has the highest priority of its waiters.
    ///   - isRetained: True lets the job continue without waiters, also after later waiters have joined and left.
    ///   - wantsProgress: False delivers only the final signal to this waiter, so that progress does not wake it.
    ///   - work: The job; it sends signals through its argument and is cancelled through its task.
    package func join(
        _ key: Key, orRunning other: Key? = nil, priority: LoadPriority = .urgent, isRetained: Bool = false,
        wantsProgress: Bool = true,
        work: @escaping @Sendable (ProgressReporter) async -> Output
    ) -> Waiter {
        let channel = LoadChannel<Signal>()
        let (number, job, starts): (UInt64, Job, Bool) = state.locked(in: self) { state in
            state.lastNumber += 1
            let registration = Job.Registration(
                number: state.lastNumber, channel: channel, priority: priority, wantsProgress: wantsProgress)
            if let job = state.jobs[key] ?? other.flatMap({ state.jobs[$0] }) {
                job.add(registration, isRetained: isRetained)
                return (registration.number, job, false)
            }
            let job = Job(key, isRetained: isRetained, waiter: registration)
            state.jobs[key] = job
            state.started += 1
            return (registration.number, job, true)
        }
        if starts { begin(job, work) } else { job.updatePriority() }
        return Waiter(table: self, job: job, number: number, channel: channel)
    }

    /// Starts the job of a key without waiting for it; a running job of the key is retained instead.
    func start(_ key: Key, work: @escaping @Sendable (ProgressReporter) async -> Output) {
        let newJob: Job? = state.locked(in: self) { state in
            if let job = state.jobs[key] {
                job.retain()
                return nil
            }
            let job = Job(key, isRetained: true, waiter: nil)
            state.jobs[key] = job
            state.started += 1
            return job
        }
        if let newJob { begin(newJob, work) }
    }

    private func begin(_ job: Job, _ work: @escaping @Sendable (ProgressReporter) async -> Output) {
        job.handle.setTask(
            Task {
                let output = await work(ProgressReporter(table: self, job: job))
                self.end(job, output)
            })
    }

    private func end(_ job: Job, _ output: Output) {
        let waiters: [LoadChannel<Signal>] = state.locked(in: self) { state in
            state.ended += 1
            if state.jobs[job.key] === job { state.jobs[job.key] = nil }
            return job.finish()
        }
        for channel in waiters { channel.send(.ended(output)) }
    }

    fileprivate func leave(_ waiter: Waiter) {
        // Both changes are made under one lock of the table: a concurrent `join` either joins this job before its last
        // waiter leaves, or starts a new job.
        let isAbandoned = state.locked(in: self) { state in
            guard waiter.job.leave(waiter.number) else { return false }
            if state.jobs[waiter.job.key] === waiter.job { state.jobs[waiter.job.key] = nil }
            return true
        }
        waiter.channel.send(.left)
        if isAbandoned { waiter.job.handle.cancel() }
        waiter.job.updatePriority()
    }

    /// One load's membership in a job.
    package struct Waiter: PrioritizedWork {
        fileprivate let table: InFlightRequests
        fileprivate let job: Job
        fileprivate let number: UInt64
        fileprivate let channel: LoadChannel<Signal>

        /// The key of the job.
        var key: Key { job.key }

        /// The next signal. When the calling task is cancelled, `left` follows the signals that are already queued.
        func next() async -> Signal {
            await withTaskCancellationHandler {
                await channel.next() ?? .left
            } onCancel: {
                table.leave(self)
            }
        }

        /// Changes the priority of this waiter; has no effect when it no longer waits.
        func setPriority(_ priority: LoadPriority) { job.setPriority(priority, of: number) }

        /// The output of the job, skipping all other signals; nil when the calling task is cancelled.
        package func output() async -> Output? {
            while true {
                switch await next() {
                case .ended(let output): return output
                case .left: return nil
                case .sending, .progress, .retrying: continue
                }
            }
        }
    }

    /// Sends the signals of a job to its waiters.
    package struct ProgressReporter: Sendable {
        fileprivate let table: InFlightRequests
        fileprivate let job: Job

        /// Sends a signal to the waiters that want progress. Each of them receives `sending` once, also a waiter that
        /// joins after it was sent.
        func report(_ signal: Signal) { job.report(signal) }

        /// Makes the priority lane of the job follow the highest priority of its waiters.
        ///
        /// - Parameter lane: The current lane of `permit`.
        func follow(_ permit: LanePermit, in lanes: RequestLanes, at lane: LoadPriority) {
            job.handle.follow(permit, in: lanes, at: lane)
            job.updatePriority()
        }

        /// True when another job has ended since `generation` was read from ``InFlightRequests/generation``.
        func hasJobEnded(since generation: UInt64) -> Bool { table.generation != generation }
    }
}
