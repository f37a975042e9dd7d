#if Loader
internal import PlatformImage
internal import Synchronization

/// Work that is under way, one piece a key, with all those who wait for it.
///
/// Every waiter is told of every step in order, and of the end in the order in which they came; each may leave without
/// disturbing the others. When the last one leaves, the work is cancelled and the key is free at once, unless the work
/// is to be kept.
///
/// A key is looked up when work is joined and when it ends; everything between goes to the ``InFlightJob`` itself.
package final class InFlightRequests<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Signal = InFlightSignal<Output>
    typealias Job = InFlightJob<Key, Output>

    private struct State {
        var jobs: [Key: Job] = [:]
        var last: UInt64 = 0
        /// Pieces of work that have begun.
        var begun: UInt64 = 0
        /// Pieces of work that have ended.
        var ended: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A table without work.
    package init() {}

    /// Pieces of work that can be waited for now.
    var count: Int { state.locked(in: self) { $0.jobs.count } }

    /// Pieces of work under way, those included that were cancelled and have yet to notice; 0 when all has ended.
    var runningCount: Int { state.locked(in: self) { Int($0.begun - $0.ended) } }

    /// Loads that wait for `key` now.
    package func waiterCount(of key: Key) -> Int { state.locked(in: self) { $0.jobs[key]?.waiterCount ?? 0 } }

    /// Loads that wait for any work now.
    var waiterTotal: Int { state.locked(in: self) { $0.jobs.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Names the present: work that begins later can tell whether other work has ended since.
    var moment: UInt64 { state.locked(in: self) { $0.ended } }

    /// Waits for the work of a key, which begins now unless it is under way.
    ///
    /// - Parameters:
    ///   - priority: How soon this waiter wants it; the work has the highest of all who wait.
    ///   - isKept: True makes the work go on when nobody waits any more; it stays so for later waiters.
    ///   - hearsSteps: False tells this waiter of the end alone, so that no step wakes it.
    ///   - work: Is told what it may tell the waiters with. It is cancelled through its task.
    package func join(
        _ key: Key, priority: LoadPriority = .urgent, isKept: Bool = false, hearsSteps: Bool = true,
        work: @escaping @Sendable (Teller) async -> Output
    ) -> Waiter {
        let channel = LoadChannel<Signal>()
        let (number, job, begins): (UInt64, Job, Bool) = state.locked(in: self) { state in
            state.last += 1
            let place = Job.Place(
                number: state.last, channel: channel, priority: priority, hearsSteps: hearsSteps)
            if let job = state.jobs[key] {
                job.add(place, isKept: isKept)
                return (place.number, job, false)
            }
            let job = Job(key, isKept: isKept, waiter: place)
            state.jobs[key] = job
            state.begun += 1
            return (place.number, job, true)
        }
        if begins { begin(job, work) } else { job.updatePriority() }
        return Waiter(table: self, job: job, number: number, channel: channel)
    }

    /// Begins the work of a key without waiting for it; nothing happens when it is under way.
    func start(_ key: Key, work: @escaping @Sendable (Teller) async -> Output) {
        let begins: Job? = state.locked(in: self) { state in
            if let job = state.jobs[key] {
                job.keep()
                return nil
            }
            let job = Job(key, isKept: true, waiter: nil)
            state.jobs[key] = job
            state.begun += 1
            return job
        }
        if let begins { begin(begins, work) }
    }

    private func begin(_ job: Job, _ work: @escaping @Sendable (Teller) async -> Output) {
        job.handle.hold(
            Task {
                let output = await work(Teller(table: self, job: job))
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
        // In the lock of the table, so that a newcomer either finds this work with others in it or begins its own.
        let isAbandoned = state.locked(in: self) { state in
            guard waiter.job.leave(waiter.number) else { return false }
            if state.jobs[waiter.job.key] === waiter.job { state.jobs[waiter.job.key] = nil }
            return true
        }
        waiter.channel.send(.left)
        if isAbandoned { waiter.job.handle.cancel() }
        waiter.job.updatePriority()
    }

    /// One load's interest in a piece of work.
    package struct Waiter: PrioritizedWork {
        fileprivate let table: InFlightRequests
        fileprivate let job: Job
        fileprivate let number: UInt64
        fileprivate let channel: LoadChannel<Signal>

        /// The next signal; `left` as soon as the calling task is cancelled.
        func next() async -> Signal {
            await withTaskCancellationHandler {
                await channel.next() ?? .left
            } onCancel: {
                table.leave(self)
            }
        }

        /// Changes how soon this waiter wants it; nothing happens when it no longer waits.
        func setPriority(_ priority: LoadPriority) { job.setPriority(priority, of: number) }

        /// The end, without the steps before it; nil when the calling task is cancelled.
        package func end() async -> Output? {
            while true {
                switch await next() {
                case .ended(let output): return output
                case .left: return nil
                case .sending, .progress, .retrying: continue
                }
            }
        }
    }

    /// What work tells its waiters with.
    package struct Teller: Sendable {
        fileprivate let table: InFlightRequests
        fileprivate let job: Job

        /// Tells everyone who waits, and of `sending` once also those who come later.
        func callAsFunction(_ signal: Signal) { job.tell(signal) }

        /// Makes the work's place in the lanes follow the priority of those who wait.
        ///
        /// - Parameter lane: Where the place is now.
        func follow(_ pass: LanePass, in lanes: RequestLanes, at lane: LoadPriority) {
            job.handle.follow(pass, in: lanes, at: lane)
            job.updatePriority()
        }

        /// True when no other work had ended between `moment` and now, the present work's beginning.
        func isFirst(since moment: UInt64) -> Bool { table.moment == moment }
    }
}
#endif
