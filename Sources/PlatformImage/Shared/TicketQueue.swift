/// Tickets in the order of their arrival, with amortised constant time at both ends.
///
/// A ticket that leaves early is not taken out: its owner forgets it, and skips it when its turn comes.
package struct TicketQueue<Ticket: Sendable>: Sendable {
    @usableFromInline var tickets: [Ticket] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    /// Tickets in the queue, with those that were forgotten.
    @inlinable
    package var count: Int { tickets.count - head }

    @inlinable
    package var first: Ticket? { head < tickets.count ? tickets[head] : nil }

    /// All tickets in order, with those that were forgotten.
    @inlinable
    package var all: ArraySlice<Ticket> { tickets[head...] }

    @inlinable
    package mutating func append(_ ticket: Ticket) { tickets.append(ticket) }

    @inlinable
    package mutating func popFirst() -> Ticket? {
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

    /// Takes the forgotten tickets out when they are more than the others, and more than 64.
    ///
    /// - Parameters:
    ///   - waitingCount: Tickets that are not forgotten.
    ///   - isWaiting: False for a ticket that was forgotten.
    @inlinable
    package mutating func compact(waitingCount: Int, _ isWaiting: (Ticket) -> Bool) {
        guard count > 2 * waitingCount + 64 else { return }
        tickets = tickets[head...].filter(isWaiting)
        head = 0
    }
}
