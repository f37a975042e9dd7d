/// A FIFO queue of tickets with amortised constant time at both ends.
///
/// Cancelled tickets stay in the queue: the caller skips them when they reach the front.
package struct TicketQueue<Ticket: Sendable>: Sendable {
    @usableFromInline var tickets: [Ticket] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    /// Tickets in the queue, including cancelled ones.
    @inlinable
    package var count: Int { tickets.count - head }

    @inlinable
    package var first: Ticket? { head < tickets.count ? tickets[head] : nil }

    /// All tickets in order, including cancelled ones.
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

    /// Removes cancelled tickets when they outnumber the others by more than 64.
    ///
    /// - Parameters:
    ///   - waitingCount: Tickets that are not cancelled.
    ///   - isWaiting: False for a cancelled ticket.
    @inlinable
    package mutating func compact(waitingCount: Int, _ isWaiting: (Ticket) -> Bool) {
        guard count > 2 * waitingCount + 64 else { return }
        tickets = tickets[head...].filter(isWaiting)
        head = 0
    }
}
