/// A FIFO queue of tickets; appending and removing a ticket take amortised constant time.
///
/// Cancelled tickets stay in the queue until they reach the front, where the caller skips them, or until
/// ``compact(waitingCount:_:)`` removes them.
package struct TicketQueue<Ticket: Sendable>: Sendable {
    @usableFromInline var tickets: [Ticket] = []
    @usableFromInline var frontIndex = 0

    @inlinable
    package init() {}

    /// Number of tickets in the queue, including cancelled tickets.
    @inlinable
    package var count: Int { tickets.count - frontIndex }

    @inlinable
    package var first: Ticket? { frontIndex < tickets.count ? tickets[frontIndex] : nil }

    /// All tickets in order, including cancelled tickets.
    @inlinable
    package var all: ArraySlice<Ticket> { tickets[frontIndex...] }

    @inlinable
    package mutating func append(_ ticket: Ticket) { tickets.append(ticket) }

    @inlinable
    package mutating func popFirst() -> Ticket? {
        guard frontIndex < tickets.count else { return nil }
        defer {
            frontIndex += 1
            if frontIndex > 64, frontIndex * 2 > tickets.count {
                tickets.removeFirst(frontIndex)
                frontIndex = 0
            }
        }
        return tickets[frontIndex]
    }

    /// Removes cancelled tickets when their number exceeds the number of waiting tickets by more than 64.
    ///
    /// - Parameters:
    ///   - waitingCount: Number of tickets in the queue that are not cancelled.
    ///   - isWaiting: False for a cancelled ticket.
    @inlinable
    package mutating func compact(waitingCount: Int, _ isWaiting: (Ticket) -> Bool) {
        guard count > 2 * waitingCount + 64 else { return }
        tickets = tickets[frontIndex...].filter(isWaiting)
        frontIndex = 0
    }
}
