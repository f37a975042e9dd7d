import Synchronization

/// A byte budget shared by concurrent decodes; it bounds their total memory, however many decodes are requested.
///
/// Before a decode allocates, it reserves the bytes of its pixels and of the work memory of codec and colour profile,
/// computed from the header. The reservation is released when the bitmap is delivered, or when the decode fails or is
/// cancelled. The sum of all reservations never exceeds ``maxBytes``. Any number of queues may share one budget.
///
/// Waiting requests are served in order of priority, and first in, first out within one priority: a request does not
/// overtake earlier requests of its priority, however small it is, unless the budget was created with `maxPasses`.
/// Requests of higher priority overtake the first waiting request of a lower priority at most ``maxOvertakes`` times;
/// then the overtaken request is served before all other requests. This prevents starvation of large requests by a
/// stream of small urgent requests.
public final class DecodeBudget: Sendable {
    /// Bytes that may be reserved at the same time, at least 1.
    public let maxBytes: Int
    /// Maximum number of later requests of higher priority that may overtake the first waiting request of a lower
    /// priority.
    public static let maxOvertakes = 32
    /// Maximum number of later requests of equal priority that may overtake a request for more bytes than are free;
    /// 0 for strict first in, first out order.
    package let maxPasses: Int

    enum Reservation: Equatable {
        case granted
        /// The bytes are not reserved yet. `whenGranted` is called after they are reserved, unless ``cancel(_:)``
        /// removes the request before.
        case waiting(UInt64)
        /// The request exceeds ``maxBytes``.
        case refused
    }

    private struct Waiter {
        let byteCount: Int
        let whenGranted: @Sendable () -> Void
        var overtakes = 0
        var passes = 0
    }

    private struct BudgetState {
        var grantedBytes = 0
        var peakGrantedBytes = 0
        var waiters: [UInt64: Waiter] = [:]
        var lanes = DecodeQueue.Priority.allCases.map { _ in TicketQueue<UInt64>() }
        var lastTicket: UInt64 = 0
    }

    private let state = Mutex(BudgetState())

    /// Creates a budget without reservations.
    ///
    /// - Parameter maxBytes: Bytes that may be reserved at the same time, at least 1; a decode that alone needs more
    ///   throws `limitExceeded`. The default, 576 MiB, covers one decode within the default ``DecodeLimits`` and its
    ///   colour profile.
    public convenience init(maxBytes: Int = 576 << 20) { self.init(maxBytes: maxBytes, maxPasses: 0) }

    /// Creates a budget in which a request that fits may overtake earlier requests of its priority that do not fit.
    /// Each request can be overtaken at most `maxPasses` times; after that, all later requests of its priority wait for
    /// it.
    package init(maxBytes: Int, maxPasses: Int) {
        precondition(maxBytes >= 1, "maxBytes must be 1 or more")
        precondition(maxPasses >= 0, "maxPasses must be 0 or more")
        self.maxBytes = maxBytes
        self.maxPasses = maxPasses
    }

    /// Bytes that are currently reserved.
    public var grantedBytes: Int { state.locked(in: self) { $0.grantedBytes } }

    /// The maximum of ``grantedBytes`` since the budget was created.
    public var peakGrantedBytes: Int { state.locked(in: self) { $0.peakGrantedBytes } }

    /// Number of requests that wait for bytes.
    public var waitingCount: Int { state.locked(in: self) { $0.waiters.count } }

    /// Requests a reservation of bytes; release the reserved bytes with ``release(_:)``.
    ///
    /// Calls no closure, so the caller may hold a lock; after `granted`, call ``serveWaiting()`` without that lock.
    ///
    /// - Parameter whenGranted: If the result is `waiting`, called once after the bytes are reserved, without a lock of
    ///   the budget, on the thread that calls ``release(_:)``, ``cancel(_:)`` or ``serveWaiting()``.
    func acquire(
        _ byteCount: Int, priority: DecodeQueue.Priority, whenGranted: @escaping @Sendable () -> Void
    ) -> Reservation {
        precondition(byteCount >= 1)
        guard byteCount <= maxBytes else { return .refused }
        return state.locked(in: self) { state in
            state.lastTicket += 1
            let ticket = state.lastTicket
            state.waiters[ticket] = Waiter(byteCount: byteCount, whenGranted: whenGranted)
            state.lanes[priority.rawValue].append(ticket)
            // Serves only the new request: to serve a waiting request, its closure must be called, which is not allowed
            // here.
            _ = serveNext(&state, only: ticket)
            return state.waiters[ticket] == nil ? .granted : .waiting(ticket)
        }
    }

    /// Serves waiting requests; call it after `acquire` returned `granted`. The granted request may have been the last
    /// one that was permitted to overtake a waiting request. The waiting request is then next in order, and its bytes
    /// may be free.
    func serveWaiting() {
        let served = state.locked(in: self) { serve(&$0) }
        for waiter in served { waiter.whenGranted() }
    }

    /// Removes a waiting request; returns false when its bytes have already been reserved.
    func cancel(_ ticket: UInt64) -> Bool {
        let (wasWaiting, served) = state.locked(in: self) { state -> (Bool, [Waiter]) in
            guard state.waiters.removeValue(forKey: ticket) != nil else { return (false, []) }
            // The removed request may have blocked other requests.
            return (true, serve(&state))
        }
        for waiter in served { waiter.whenGranted() }
        return wasWaiting
    }

    /// Reserves bytes without waiting; returns false when fewer bytes are free. Release the bytes with ``release(_:)``.
    ///
    /// The reservation overtakes waiting requests: use this method only if the release of the bytes does not depend on
    /// a waiting request, and limit the number of calls.
    package func tryAcquire(_ byteCount: Int) -> Bool {
        precondition(byteCount >= 1)
        return state.locked(in: self) { state in
            guard byteCount <= maxBytes - state.grantedBytes else { return false }
            state.grantedBytes += byteCount
            state.peakGrantedBytes = max(state.peakGrantedBytes, state.grantedBytes)
            return true
        }
    }

    /// Releases bytes and serves the requests that wait for them.
    package func release(_ byteCount: Int) {
        let served = state.locked(in: self) { state in
            state.grantedBytes -= byteCount
            precondition(state.grantedBytes >= 0, "more bytes were released than reserved")
            return serve(&state)
        }
        for waiter in served { waiter.whenGranted() }
    }

    private func serve(_ state: inout BudgetState) -> [Waiter] {
        var served: [Waiter] = []
        while let waiter = serveNext(&state) { served.append(waiter) }
        return served
    }

    /// Reserves the bytes of the next request in order and removes the request. Returns nil, and reserves nothing, when
    /// no request waits, when the bytes of the next request are not free, or when `only` is not nil and the next
    /// request has another ticket.
    private func serveNext(_ state: inout BudgetState, only: UInt64? = nil) -> Waiter? {
        var next: (lane: Int, ticket: UInt64)?
        var mostOvertakes = Self.maxOvertakes - 1
        var frontTickets: [UInt64] = []
        for lane in state.lanes.indices {
            while let ticket = state.lanes[lane].first, state.waiters[ticket] == nil {
                _ = state.lanes[lane].popFirst()
            }
            guard let ticket = state.lanes[lane].first, let waiter = state.waiters[ticket] else { continue }
            frontTickets.append(ticket)
            if next == nil { next = (lane, ticket) }
            if waiter.overtakes > mostOvertakes {
                mostOvertakes = waiter.overtakes
                next = (lane, ticket)
            }
        }
        guard let next, let ticket = firstFitting(state, lane: next.lane), only ?? ticket == ticket,
            let waiter = state.waiters.removeValue(forKey: ticket)
        else { return nil }
        if ticket == next.ticket {
            _ = state.lanes[next.lane].popFirst()
        } else {
            for passed in state.lanes[next.lane].all.prefix(while: { $0 != ticket }) {
                state.waiters[passed]?.passes += 1
            }
        }
        state.grantedBytes += waiter.byteCount
        state.peakGrantedBytes = max(state.peakGrantedBytes, state.grantedBytes)
        for frontTicket in frontTickets where frontTicket < ticket && frontTicket != next.ticket {
            state.waiters[frontTicket]?.overtakes += 1
        }
        return waiter
    }

    /// The first request of one priority that fits into the free bytes. Nil when none fits, or when an earlier request
    /// of that priority must not be overtaken again.
    private func firstFitting(_ state: BudgetState, lane: Int) -> UInt64? {
        let free = maxBytes - state.grantedBytes
        for ticket in state.lanes[lane].all {
            guard let waiter = state.waiters[ticket] else { continue }
            if waiter.byteCount <= free { return ticket }
            if waiter.passes >= maxPasses { return nil }
        }
        return nil
    }
}
