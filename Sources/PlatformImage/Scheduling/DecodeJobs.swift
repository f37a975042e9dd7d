// The jobs of a decode queue. Each job has one state, guarded by one lock. The thread that moves a waiting job to the
// state `running` runs the job. The thread that removes a waiting job, or enqueues a cancelled job, refuses the job.
// Therefore each continuation is resumed exactly once.
//
// Lock order: first the lock of the jobs, then the lock of the budget.

import Dispatch
import Synchronization

final class DecodeJobs: Sendable {
    enum Start {
        case now
        case refused(DecodeError)
    }

    /// Reports the result to the caller; called after the job's reservation in the budget, if it has one, is released.
    typealias Delivery = @Sendable () -> Void
    /// A part of a job: called with `now`, after the bytes that it needs are reserved, or with `refused`.
    typealias Body = @Sendable (Start) -> BodyResult
    typealias Ticket = UInt64

    enum BodyResult {
        case done(Delivery)
        /// Continue the job after this number of bytes, at least 1, is reserved. A reservation that the job already has
        /// is released before, so that jobs do not wait for each other.
        case needs(Int, Body)
    }

    private enum Job {
        case registered(CancellationFlag)  // a ticket exists, the body is not enqueued yet
        case cancelledBeforeEnqueue  // cancelled before the body was enqueued
        case waiting(CancellationFlag, Body)
        case running(CancellationFlag)
        case waitingForBytes(CancellationFlag, Body, budgetTicket: UInt64)
        case ready(CancellationFlag, Body, byteCount: Int)  // bytes are reserved; waits for a thread
    }

    private struct Lane {
        var ready = TicketQueue<Ticket>()
        var new = TicketQueue<Ticket>()
    }

    private struct QueueState {
        var jobs: [Ticket: Job] = [:]
        var lanes = DecodeQueue.Priority.allCases.map { _ in Lane() }
        var nextTicket: Ticket = 0
        var waiting = 0
        var isClosed = false
    }

    private let budget: DecodeBudget
    private let state = Mutex(QueueState())
    /// Counts the jobs that wait for a thread. Jobs cancelled in that state are still counted, so a thread may find no
    /// job; it then waits again.
    private let jobAvailable = DispatchSemaphore(value: 0)

    init(budget: DecodeBudget) { self.budget = budget }

    var waitingCount: Int { state.locked(in: self) { $0.waiting } }

    /// Registers a job, so that it can be cancelled before it is enqueued.
    func ticket(flag: CancellationFlag) -> Ticket {
        state.locked(in: self) { state in
            state.nextTicket += 1
            state.jobs[state.nextTicket] = .registered(flag)
            return state.nextTicket
        }
    }

    /// Enqueues a job. `body` is called exactly once: with `.now` on a worker thread, with `.refused` by the thread
    /// that cancels the waiting job, or with `.refused` by this method if the job was cancelled before.
    func enqueue(_ ticket: Ticket, priority: DecodeQueue.Priority, _ body: @escaping Body) {
        let isWaiting = state.locked(in: self) { state in
            guard case .registered(let flag)? = state.jobs[ticket] else {
                state.jobs[ticket] = nil
                return false
            }
            state.jobs[ticket] = .waiting(flag, body)
            state.lanes[priority.rawValue].new.append(ticket)
            state.waiting += 1
            return true
        }
        if isWaiting { jobAvailable.signal() } else { refuse(body) }
    }

    /// Removes and refuses a waiting job immediately; raises the flag of a running job; ignores a finished job. A job
    /// that is not enqueued yet is marked, and `enqueue` refuses it.
    func cancel(_ ticket: Ticket) {
        let afterUnlock = state.locked(in: self) { state -> Delivery? in
            switch state.jobs[ticket] {
            case .registered:
                state.jobs[ticket] = .cancelledBeforeEnqueue
                return nil
            case .running(let flag):
                flag.cancel()
                return nil
            case .cancelledBeforeEnqueue, nil:
                return nil
            case .waiting(_, let body):
                state.jobs[ticket] = nil
                state.waiting -= 1
                return { self.refuse(body) }
            case .waitingForBytes(_, let body, let budgetTicket):
                state.jobs[ticket] = nil
                // If another thread reserves the bytes before `cancel`, `granted` finds no job and releases them.
                return {
                    _ = self.budget.cancel(budgetTicket)
                    self.refuse(body)
                }
            case .ready(_, let body, let byteCount):
                state.jobs[ticket] = nil
                state.waiting -= 1
                return {
                    self.budget.release(byteCount)
                    self.refuse(body)
                }
            }
        }
        afterUnlock?()
    }

    /// Waits for a job and runs it until it ends or must wait for bytes of the budget. Returns false when the queue is
    /// closed and no job is left.
    func runNext() -> Bool {
        jobAvailable.wait()
        guard let (ticket, priority, job) = popNext() else { return !state.locked(in: self) { $0.isClosed } }
        switch job {
        case .new(let body): run(body, ticket, priority, reserved: 0)
        case .ready(let body, let byteCount): run(body, ticket, priority, reserved: byteCount)
        }
        return true
    }

    private enum NextJob {
        case new(Body)
        case ready(Body, Int)
    }

    /// Removes and returns the next job. Jobs with reserved memory come first, regardless of priority, because other
    /// jobs may wait for that memory.
    private func popNext() -> (Ticket, DecodeQueue.Priority, NextJob)? {
        state.locked(in: self) { state in
            // A ticket without a waiting job was cancelled; only its entry in the queue of its priority is left.
            for priority in DecodeQueue.Priority.allCases {
                while let ticket = state.lanes[priority.rawValue].ready.popFirst() {
                    guard case .ready(let flag, let body, let byteCount)? = state.jobs[ticket] else { continue }
                    state.jobs[ticket] = .running(flag)
                    state.waiting -= 1
                    return (ticket, priority, .ready(body, byteCount))
                }
            }
            for priority in DecodeQueue.Priority.allCases {
                while let ticket = state.lanes[priority.rawValue].new.popFirst() {
                    guard case .waiting(let flag, let body)? = state.jobs[ticket] else { continue }
                    state.jobs[ticket] = .running(flag)
                    state.waiting -= 1
                    return (ticket, priority, .new(body))
                }
            }
            return nil
        }
    }

    /// Continues the job immediately if the budget reserves the bytes. Refuses the job if it is cancelled or needs more
    /// bytes than the maximum of the budget. Otherwise the job waits without a thread.
    private func reserve(
        _ byteCount: Int, _ ticket: Ticket, _ priority: DecodeQueue.Priority, _ body: @escaping Body
    ) {
        enum ReserveResult {
            case granted, waitingForBytes
            case refused(DecodeError)
        }
        let result = state.locked(in: self) { state -> ReserveResult in
            guard case .running(let flag)? = state.jobs[ticket], !flag.isCancelled else {
                return .refused(.cancelled)
            }
            switch budget.acquire(
                byteCount, priority: priority, whenGranted: { self.granted(byteCount, ticket, priority) })
            {
            case .granted:
                return .granted
            case .waiting(let budgetTicket):
                state.jobs[ticket] = .waitingForBytes(flag, body, budgetTicket: budgetTicket)
                return .waitingForBytes
            case .refused:
                return .refused(Self.exceedsBudget(byteCount, budget))
            }
        }
        switch result {
        case .granted:
            // Outside the lock: the closures of served requests acquire the lock of the jobs.
            budget.serveWaiting()
            run(body, ticket, priority, reserved: byteCount)
        case .waitingForBytes: break
        case .refused(let error):
            removeJob(ticket)
            refuse(body, error)
        }
    }

    private func granted(_ byteCount: Int, _ ticket: Ticket, _ priority: DecodeQueue.Priority) {
        let isReady = state.locked(in: self) { state in
            guard case .waitingForBytes(let flag, let body, _)? = state.jobs[ticket] else { return false }
            state.jobs[ticket] = .ready(flag, body, byteCount: byteCount)
            state.lanes[priority.rawValue].ready.append(ticket)
            state.waiting += 1
            return true
        }
        if isReady { jobAvailable.signal() } else { budget.release(byteCount) }
    }

    /// Runs a part of a job whose bytes are reserved, and releases them.
    private func run(_ body: Body, _ ticket: Ticket, _ priority: DecodeQueue.Priority, reserved: Int) {
        switch body(.now) {
        case .done(let deliver):
            removeJob(ticket)
            if reserved > 0 { budget.release(reserved) }
            deliver()
        case .needs(let byteCount, let next):
            if reserved > 0 { budget.release(reserved) }
            reserve(byteCount, ticket, priority, next)
        }
    }

    private func removeJob(_ ticket: Ticket) { state.locked(in: self) { $0.jobs[ticket] = nil } }

    private func refuse(_ body: Body, _ error: DecodeError = .cancelled) {
        switch body(.refused(error)) {
        case .done(let deliver): deliver()
        case .needs(_, let next): refuse(next, error)
        }
    }

    private static func exceedsBudget(_ byteCount: Int, _ budget: DecodeBudget) -> DecodeError {
        DecodeError(
            .limitExceeded, detail: "decodeBudget",
            "the decode needs \(byteCount) bytes of memory, the memory budget is \(budget.maxBytes) bytes")
    }

    /// Ends the threads. No job is waiting at this point: every waiting caller has a reference to the queue.
    func close(threads: Int) {
        state.locked(in: self) { $0.isClosed = true }
        for _ in 0..<threads { jobAvailable.signal() }
    }
}
