// The jobs of a decode queue and the one rule that keeps them honest: a job has one state under one lock, and whoever
// moves it out of "waiting" runs or refuses it. Nobody else does, so a continuation is resumed exactly once.

import Dispatch
import Synchronization

final class DecodeJobs: Sendable {
    enum Start { case now, cancelled }
    typealias Body = @Sendable (Start) -> Void
    typealias Ticket = UInt64

    private enum Job {
        case announced(CancellationFlag)  // a ticket was given out, the body is not here yet
        case cancelledEarly  // cancelled before the body came
        case waiting(CancellationFlag, Body)
        case running(CancellationFlag)
    }

    private struct State {
        var jobs: [Ticket: Job] = [:]
        var lanes = DecodeQueue.Priority.allCases.map { _ in Lane() }
        var nextTicket: Ticket = 0
        var waiting = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Counts waiting jobs, and jobs cancelled while waiting: a thread that finds none goes back to sleep.
    private let wakeUps = DispatchSemaphore(value: 0)

    var waitingCount: Int { state.locked(in: self) { $0.waiting } }

    /// Announces a job, so that it can be cancelled before it is enqueued.
    func ticket(flag: CancellationFlag) -> Ticket {
        state.locked(in: self) { state in
            state.nextTicket += 1
            state.jobs[state.nextTicket] = .announced(flag)
            return state.nextTicket
        }
    }

    /// `body` is called exactly once: on a worker thread with `.now`, or with `.cancelled` by whoever cancels.
    func enqueue(_ ticket: Ticket, priority: DecodeQueue.Priority, _ body: @escaping Body) {
        let isWaiting = state.locked(in: self) { state in
            guard case .announced(let flag)? = state.jobs[ticket] else {
                state.jobs[ticket] = nil
                return false
            }
            state.jobs[ticket] = .waiting(flag, body)
            state.lanes[priority.rawValue].append(ticket)
            state.waiting += 1
            return true
        }
        if isWaiting { wakeUps.signal() } else { body(.cancelled) }
    }

    /// A waiting job leaves at once, a running one has its flag raised; one that is done is not there any more.
    func cancel(_ ticket: Ticket) {
        let refused = state.locked(in: self) { state -> Body? in
            switch state.jobs[ticket] {
            case .announced:
                state.jobs[ticket] = .cancelledEarly
            case .waiting(_, let body):
                state.jobs[ticket] = nil
                state.waiting -= 1
                return body
            case .running(let flag):
                flag.cancel()
            case .cancelledEarly, nil:
                break
            }
            return nil
        }
        refused?(.cancelled)
    }

    /// Sleeps until there is a job and runs it; false when the queue is closed.
    func runNext() -> Bool {
        wakeUps.wait()
        let next = state.locked(in: self) { state -> (ticket: Ticket, body: Body)? in
            for lane in state.lanes.indices {
                while let ticket = state.lanes[lane].popFirst() {
                    // A ticket without a waiting job was cancelled; its place in the lane is all that was left.
                    guard case .waiting(let flag, let body)? = state.jobs[ticket] else { continue }
                    state.jobs[ticket] = .running(flag)
                    state.waiting -= 1
                    return (ticket, body)
                }
            }
            return nil
        }
        guard let next else { return !state.locked(in: self) { $0.isClosed } }
        next.body(.now)
        state.locked(in: self) { $0.jobs[next.ticket] = nil }
        return true
    }

    /// Ends the threads. Nothing waits any more: every waiting caller keeps the queue alive.
    func close(threads: Int) {
        state.locked(in: self) { $0.isClosed = true }
        for _ in 0..<threads { wakeUps.signal() }
    }

    /// First in, first out, with amortised constant time at both ends.
    private struct Lane {
        private var tickets: [Ticket] = []
        private var head = 0

        mutating func append(_ ticket: Ticket) { tickets.append(ticket) }

        mutating func popFirst() -> Ticket? {
            guard head < tickets.count else { return nil }
            defer {
                head += 1
                if head > 64, head * 2 > tickets.count {
                    tickets.removeFirst(head)
                    head = 0
                }
            }
            return tickets[head]
        }
    }
}
