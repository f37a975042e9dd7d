/// Tickets in the order of their arrival, with amortised constant time at both ends.
///
/// Who leaves early is not taken out: its owner forgets the ticket, and it is skipped when its turn comes.
struct TicketLane {
    private var tickets: [UInt64] = []
    private var head = 0

    var first: UInt64? { head < tickets.count ? tickets[head] : nil }

    /// All of them in order, with those that were forgotten.
    var all: ArraySlice<UInt64> { tickets[head...] }

    mutating func append(_ ticket: UInt64) { tickets.append(ticket) }

    mutating func popFirst() -> UInt64? {
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
