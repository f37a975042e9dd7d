#if Loader
internal import PlatformImage
internal import Synchronization

/// Work that is under way, one piece a key, with all those who wait for it.
///
/// Every waiter is told of every step in order, and of the end in the order in which they came; each may leave without
/// disturbing the others. When the last one leaves, the work is cancelled and the key is free at once, unless the work
/// is to be kept.
package final class InFlightRequests<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// What a waiter is told.
    enum Signal: Sendable {
        /// The origin is being asked.
        case sending
        case progress(received: Int, expected: Int?)
        case retrying(attempt: Int, delay: Duration, reason: LoadError)
        /// The last signal of work that ended.
        case ended(Output)
        /// The last signal of a waiter that left.
        case left
    }

    private struct Job {
        let number: UInt64
        let handle: JobHandle
        var isKept: Bool
        var isSending = false
        var waiters: [Place] = []
    }

    private struct Place {
        let number: UInt64
        let channel: LoadChannel<Signal>
        var priority: LoadPriority
    }

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
    package func waiterCount(of key: Key) -> Int { state.locked(in: self) { $0.jobs[key]?.waiters.count ?? 0 } }

    /// Loads that wait for any work now.
    var waiterTotal: Int { state.locked(in: self) { $0.jobs.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Names the present: work that begins later can tell whether other work has ended since.
    var moment: UInt64 { state.locked(in: self) { $0.ended } }

    /// Waits for the work of a key, which begins now unless it is under way.
    ///
    /// - Parameters:
    ///   - priority: How soon this waiter wants it; the work has the highest of all who wait.
    ///   - isKept: True makes the work go on when nobody waits any more; it stays so for later waiters.
    ///   - work: Is told what it may tell the waiters with. It is cancelled through its task.
    package func join(
        _ key: Key, priority: LoadPriority = .urgent, isKept: Bool = false,
        work: @escaping @Sendable (Teller) async -> Output
    ) -> Waiter {
        let channel = LoadChannel<Signal>()
        let (number, begins): (UInt64, Teller?) = state.locked(in: self) { state in
            state.last += 1
            let number = state.last
            if state.jobs[key] != nil {
                add(Place(number: number, channel: channel, priority: priority), isKept, to: &state.jobs[key])
                return (number, nil)
            }
            let place = Place(number: number, channel: channel, priority: priority)
            let job = Job(number: number, handle: JobHandle(), isKept: isKept, waiters: [place])
            state.jobs[key] = job
            state.begun += 1
            return (number, Teller(table: self, key: key, job: number, handle: job.handle))
        }
        if let begins { begin(begins, work) }
        updatePriority(of: key)
        return Waiter(table: self, key: key, number: number, channel: channel)
    }

    /// Begins the work of a key without waiting for it; nothing happens when it is under way.
    func start(_ key: Key, work: @escaping @Sendable (Teller) async -> Output) {
        let begins: Teller? = state.locked(in: self) { state in
            guard state.jobs[key] == nil else {
                state.jobs[key]?.isKept = true
                return nil
            }
            state.last += 1
            let job = Job(number: state.last, handle: JobHandle(), isKept: true)
            state.jobs[key] = job
            state.begun += 1
            return Teller(table: self, key: key, job: job.number, handle: job.handle)
        }
        if let begins { begin(begins, work) }
    }

    private func add(_ place: Place, _ isKept: Bool, to job: inout Job?) {
        job?.waiters.append(place)
        if isKept { job?.isKept = true }
        // Nobody reads it yet, so nobody is to be woken.
        if job?.isSending == true { _ = place.channel.put(.sending) }
    }

    /// Gives the work the highest priority of those who wait; when nobody does it keeps the one it had.
    private func updatePriority(of key: Key) {
        // The work is told outside the lock, so it asks again until it knows the latest.
        while true {
            let (handle, highest): (JobHandle?, LoadPriority?) = state.locked(in: self) { state in
                let job = state.jobs[key]
                let isUrgent = job?.waiters.contains { $0.priority == .urgent } == true
                return (job?.handle, job?.waiters.isEmpty == false ? (isUrgent ? .urgent : .slow) : nil)
            }
            guard let handle, let highest, handle.move(to: highest) else { return }
        }
    }

    fileprivate func setPriority(_ priority: LoadPriority, of waiter: Waiter) {
        state.locked(in: self) { state in
            guard let index = state.jobs[waiter.key]?.waiters.firstIndex(where: { $0.number == waiter.number }) else {
                return
            }
            state.jobs[waiter.key]?.waiters[index].priority = priority
        }
        updatePriority(of: waiter.key)
    }

    private func begin(_ teller: Teller, _ work: @escaping @Sendable (Teller) async -> Output) {
        teller.handle.hold(
            Task {
                let output = await work(teller)
                self.end(teller, output)
            })
    }

    private func end(_ teller: Teller, _ output: Output) {
        let waiters: [LoadChannel<Signal>] = state.locked(in: self) { state in
            state.ended += 1
            guard let job = state.jobs[teller.key], job.number == teller.job else { return [] }
            state.jobs[teller.key] = nil
            return job.waiters.map(\.channel)
        }
        for channel in waiters { channel.send(.ended(output)) }
    }

    fileprivate func tell(_ teller: Teller, _ signal: Signal, isProgress: Bool) {
        // Put in place inside the lock, so that a newcomer is told of the sending before anything that follows it.
        let wakes: [LoadChannel<Signal>.Wake] = state.locked(in: self) { state in
            guard let job = state.jobs[teller.key], job.number == teller.job else { return [] }
            if case .sending = signal {
                guard !job.isSending else { return [] }
                state.jobs[teller.key]?.isSending = true
            }
            return job.waiters.compactMap { $0.channel.put(signal, isProgress: isProgress) }
        }
        for wake in wakes { wake.resume() }
    }

    fileprivate func leave(_ waiter: Waiter) {
        let abandoned: JobHandle? = state.locked(in: self) { state in
            guard let index = state.jobs[waiter.key]?.waiters.firstIndex(where: { $0.number == waiter.number }) else {
                return nil
            }
            state.jobs[waiter.key]?.waiters.remove(at: index)
            guard let job = state.jobs[waiter.key], job.waiters.isEmpty, !job.isKept else { return nil }
            state.jobs[waiter.key] = nil
            return job.handle
        }
        waiter.channel.send(.left)
        abandoned?.cancel()
        updatePriority(of: waiter.key)
    }

    /// One load's interest in a piece of work.
    package struct Waiter: Sendable {
        fileprivate let table: InFlightRequests
        fileprivate let key: Key
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
        func setPriority(_ priority: LoadPriority) { table.setPriority(priority, of: self) }

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
        fileprivate let key: Key
        fileprivate let job: UInt64
        fileprivate let handle: JobHandle

        /// Tells everyone who waits, and of `sending` once also those who come later.
        func callAsFunction(_ signal: Signal) {
            if case .progress = signal {
                table.tell(self, signal, isProgress: true)
            } else {
                table.tell(self, signal, isProgress: false)
            }
        }

        /// Makes the work's place in the lanes follow the priority of those who wait.
        func follow(_ pass: LanePass, in lanes: RequestLanes) {
            handle.follow(pass, in: lanes)
            table.updatePriority(of: key)
        }

        /// True when no other work had ended between `moment` and now, the present work's beginning.
        func isFirst(since moment: UInt64) -> Bool { table.moment == moment }
    }
}
#endif
