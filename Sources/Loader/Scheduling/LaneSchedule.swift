#if Loader
import PlatformImage

/// Numbers of waiting and running fetches in each priority lane.
struct LaneCounts: Hashable, Sendable {
    var urgentWaiting = 0
    var urgentRunning = 0
    var slowWaiting = 0
    var slowRunning = 0
}

/// Admission rules of ``RequestLanes``, without the continuations of the waiting fetches.
struct LaneSchedule: Sendable {
    private struct ScheduledFetch: Sendable {
        var lane: LoadPriority
        /// Arrival number in the lane's queue; nil while the fetch runs.
        var arrival: UInt64?
    }

    private struct Ticket: Sendable {
        let number: UInt64
        let arrival: UInt64
    }

    /// True while no fetch is admitted.
    var isSuspended = false
    private(set) var counts = LaneCounts()
    private var urgentWidth: Int
    private var slowWidth: Int
    /// Scheduled fetches, indexed by number; nil for a number that is not scheduled. Numbers are reused, so the array
    /// stays small.
    private var fetches: [ScheduledFetch?] = []
    private var urgentQueue = TicketQueue<Ticket>()
    private var slowQueue = TicketQueue<Ticket>()
    private var lastArrival: UInt64 = 0

    init(urgentWidth: Int, slowWidth: Int) {
        precondition(urgentWidth >= 0 && slowWidth >= 0, "urgentWidth and slowWidth must be 0 or more")
        self.urgentWidth = urgentWidth
        self.slowWidth = slowWidth
    }

    mutating func setWidths(urgent: Int, slow: Int) {
        precondition(urgent >= 0 && slow >= 0, "the arguments urgent and slow must be 0 or more")
        urgentWidth = urgent
        slowWidth = slow
    }

    /// Appends a fetch to the queue of a lane; traps when the fetch is already scheduled.
    mutating func enqueue(_ number: UInt64, in lane: LoadPriority) {
        precondition(fetch(of: number) == nil, "fetch \(number) is already scheduled")
        while fetches.count <= number { fetches.append(nil) }
        wait(number, in: lane)
    }

    /// Removes a waiting or running fetch; has no effect when it is not scheduled.
    mutating func leave(_ number: UInt64) {
        guard let fetch = fetch(of: number) else { return }
        fetches[Int(number)] = nil
        count(fetch, -1)
        if fetch.arrival != nil { compactQueue(of: fetch.lane) }
    }

    /// Moves a fetch to a lane; has no effect when it is there already or is not scheduled.
    mutating func move(_ number: UInt64, to lane: LoadPriority) {
        guard let fetch = fetch(of: number), fetch.lane != lane else { return }
        count(fetch, -1)
        if fetch.arrival == nil {
            fetches[Int(number)] = ScheduledFetch(lane: lane, arrival: nil)
            count(ScheduledFetch(lane: lane, arrival: nil), 1)
        } else {
            wait(number, in: lane)
            compactQueue(of: fetch.lane)
        }
    }

    /// Admits the next fetch and returns its number; nil when none may run. Call it until it returns nil.
    mutating func admitNext() -> UInt64? {
        guard !isSuspended else { return nil }
        let lane: LoadPriority
        if counts.urgentWaiting > 0 {
            guard counts.urgentRunning < urgentWidth else { return nil }
            lane = .urgent
        } else {
            guard counts.slowWaiting > 0, counts.urgentRunning == 0, counts.slowRunning < slowWidth else { return nil }
            lane = .slow
        }
        while let ticket = popFirst(of: lane) {
            guard let fetch = fetch(of: ticket.number), fetch.arrival == ticket.arrival else { continue }
            count(fetch, -1)
            let running = ScheduledFetch(lane: lane, arrival: nil)
            fetches[Int(ticket.number)] = running
            count(running, 1)
            return ticket.number
        }
        preconditionFailure("the number of waiting fetches exceeds the number of queue entries")
    }

    /// Number of queue entries (tickets) in both lanes, including those of fetches that have left their queue; for
    /// tests.
    var ticketCount: Int { urgentQueue.count + slowQueue.count }

    private func fetch(of number: UInt64) -> ScheduledFetch? { number < fetches.count ? fetches[Int(number)] : nil }

    private mutating func wait(_ number: UInt64, in lane: LoadPriority) {
        lastArrival += 1
        let fetch = ScheduledFetch(lane: lane, arrival: lastArrival)
        fetches[Int(number)] = fetch
        count(fetch, 1)
        let ticket = Ticket(number: number, arrival: lastArrival)
        switch lane {
        case .urgent: urgentQueue.append(ticket)
        case .slow: slowQueue.append(ticket)
        }
    }

    private mutating func popFirst(of lane: LoadPriority) -> Ticket? {
        switch lane {
        case .urgent: urgentQueue.popFirst()
        case .slow: slowQueue.popFirst()
        }
    }

    /// Removes outdated tickets from the queue of a lane: those of fetches that have left the queue. Has no effect
    /// unless they outnumber the tickets of waiting fetches by more than 64.
    private mutating func compactQueue(of lane: LoadPriority) {
        let fetches = fetches
        let isWaiting = { (ticket: Ticket) in fetches[Int(ticket.number)]?.arrival == ticket.arrival }
        switch lane {
        case .urgent: urgentQueue.compact(waitingCount: counts.urgentWaiting, isWaiting)
        case .slow: slowQueue.compact(waitingCount: counts.slowWaiting, isWaiting)
        }
    }

    private mutating func count(_ fetch: ScheduledFetch, _ change: Int) {
        switch (fetch.lane, fetch.arrival == nil) {
        case (.urgent, false): counts.urgentWaiting += change
        case (.urgent, true): counts.urgentRunning += change
        case (.slow, false): counts.slowWaiting += change
        case (.slow, true): counts.slowRunning += change
        }
    }
}
#endif
