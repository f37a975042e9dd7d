import PlatformImage

/// Numbers of waiting and running fetches in each lane. The urgent lane has the priorities `urgent` and `immediate`,
/// the slow lane `slow` and `background`.
struct LaneCounts: Hashable, Sendable {
    var urgentWaiting = 0
    var urgentRunning = 0
    var slowWaiting = 0
    var slowRunning = 0
}

/// Admission rules of ``RequestLanes``, without the continuations of the waiting fetches.
struct LaneSchedule: Sendable {
    private struct ScheduledFetch: Sendable {
        var priority: LoadPriority
        /// Arrival number in the queue of its priority; nil while the fetch runs.
        var arrival: UInt64?
    }

    private struct Ticket: Sendable {
        let number: UInt64
        let arrival: UInt64
    }

    /// The waiting fetches of one priority.
    private struct Queue: Sendable {
        var tickets = TicketQueue<Ticket>()
        /// Number of waiting fetches; the tickets of fetches that have left the queue are not counted.
        var waitingCount = 0
    }

    /// True while no fetch is admitted.
    var isSuspended = false
    private(set) var counts = LaneCounts()
    private var urgentWidth: Int
    private var slowWidth: Int
    /// Scheduled fetches, indexed by number; nil for a number that is not scheduled. Numbers are reused, so the array
    /// stays small.
    private var fetches: [ScheduledFetch?] = []
    /// One queue for each priority, in the order of `LoadPriority.allCases`.
    private var queues = LoadPriority.allCases.map { _ in Queue() }
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

    /// Appends a fetch to the queue of its priority; traps when the fetch is already scheduled.
    mutating func enqueue(_ number: UInt64, priority: LoadPriority) {
        precondition(fetch(of: number) == nil, "fetch \(number) is already scheduled")
        while fetches.count <= number { fetches.append(nil) }
        wait(number, priority)
    }

    /// Removes a waiting or running fetch; has no effect when it is not scheduled.
    mutating func leave(_ number: UInt64) {
        guard let fetch = fetch(of: number) else { return }
        fetches[Int(number)] = nil
        count(fetch, -1)
        if fetch.arrival != nil { compactQueue(of: fetch.priority) }
    }

    /// Changes the priority of a fetch; has no effect when it has that priority already or is not scheduled.
    mutating func move(_ number: UInt64, to priority: LoadPriority) {
        guard let fetch = fetch(of: number), fetch.priority != priority else { return }
        count(fetch, -1)
        if fetch.arrival == nil {
            let running = ScheduledFetch(priority: priority, arrival: nil)
            fetches[Int(number)] = running
            count(running, 1)
        } else {
            wait(number, priority)
            compactQueue(of: fetch.priority)
        }
    }

    /// Admits the next fetch and returns its number; nil when none may run. Call it until it returns nil.
    mutating func admitNext() -> UInt64? {
        guard !isSuspended else { return nil }
        if counts.urgentWaiting > 0 {
            guard counts.urgentRunning < urgentWidth else { return nil }
        } else {
            guard counts.slowWaiting > 0, counts.urgentRunning == 0, counts.slowRunning < slowWidth else { return nil }
        }
        // Only the slow lane has waiting fetches when the urgent lane has none, so the highest priority is in the lane.
        let next = LoadPriority.allCases.last { queues[$0.queueIndex].waitingCount > 0 }
        guard let priority = next else { return nil }
        while let ticket = queues[priority.queueIndex].tickets.popFirst() {
            guard let fetch = fetch(of: ticket.number), fetch.arrival == ticket.arrival else { continue }
            count(fetch, -1)
            let running = ScheduledFetch(priority: priority, arrival: nil)
            fetches[Int(ticket.number)] = running
            count(running, 1)
            return ticket.number
        }
        preconditionFailure("the number of waiting fetches exceeds the number of queue entries")
    }

    /// Number of queue entries (tickets) of all priorities, including those of fetches that have left their queue; for
    /// tests.
    var ticketCount: Int { queues.reduce(0) { $0 + $1.tickets.count } }

    private func fetch(of number: UInt64) -> ScheduledFetch? { number < fetches.count ? fetches[Int(number)] : nil }

    private mutating func wait(_ number: UInt64, _ priority: LoadPriority) {
        lastArrival += 1
        let fetch = ScheduledFetch(priority: priority, arrival: lastArrival)
        fetches[Int(number)] = fetch
        count(fetch, 1)
        queues[priority.queueIndex].tickets.append(Ticket(number: number, arrival: lastArrival))
    }

    /// Removes outdated tickets from the queue of a priority: those of fetches that have left the queue. Has no effect
    /// unless they outnumber the tickets of waiting fetches by more than 64.
    private mutating func compactQueue(of priority: LoadPriority) {
        let fetches = fetches
        let waitingCount = queues[priority.queueIndex].waitingCount
        queues[priority.queueIndex].tickets.compact(waitingCount: waitingCount) { ticket in
            fetches[Int(ticket.number)]?.arrival == ticket.arrival
        }
    }

    private mutating func count(_ fetch: ScheduledFetch, _ change: Int) {
        if fetch.arrival != nil { queues[fetch.priority.queueIndex].waitingCount += change }
        switch (fetch.priority.usesUrgentLane, fetch.arrival == nil) {
        case (true, false): counts.urgentWaiting += change
        case (true, true): counts.urgentRunning += change
        case (false, false): counts.slowWaiting += change
        case (false, true): counts.slowRunning += change
        }
    }
}

extension LoadPriority {
    /// Position in `allCases`.
    fileprivate var queueIndex: Int { rawValue - LoadPriority.background.rawValue }
}
