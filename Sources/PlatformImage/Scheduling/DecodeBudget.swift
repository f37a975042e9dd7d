import Synchronization

/// Bytes that decodes may hold at once: what bounds a process's memory, however many decodes are asked for.
///
/// A decode takes its pixels and the work memory of codec and colour profile, as the header tells them, before it
/// allocates, and gives them back when its bitmap is handed over, or when it fails or is cancelled. The sum of what is
/// held is at most ``maxBytes`` at every instant. One budget may serve any number of queues.
///
/// Who waits is served by lane, first come first served in each: nobody overtakes in its own lane, however small it is,
/// unless the budget was made to let small requests pass. Higher lanes overtake lower ones, but only ``maxOvertakes``
/// times: then the one that was overtaken comes before all others, so that no stream of small urgent jobs keeps a large
/// one out for ever.
public final class DecodeBudget: Sendable {
    /// Bytes that may be held at once, at least 1.
    public let maxBytes: Int
    /// Requests of higher lanes that may be served while an earlier one of a lower lane waits first in its lane.
    public static let maxOvertakes = 32
    /// Requests of its own lane that may be served while an earlier one waits for more bytes than are free; 0 for none.
    package let maxPasses: Int

    enum Answer: Equatable {
        case granted
        /// `whenGranted` will be called, unless ``cancel(_:)`` comes first.
        case waiting(UInt64)
        /// More than there will ever be.
        case refused
    }

    private struct Waiter {
        let byteCount: Int
        let whenGranted: @Sendable () -> Void
        var overtaken = 0
        var passed = 0
    }

    private struct State {
        var grantedBytes = 0
        var peakGrantedBytes = 0
        var waiters: [UInt64: Waiter] = [:]
        var lanes = DecodeQueue.Priority.allCases.map { _ in TicketQueue<UInt64>() }
        var lastTicket: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A budget of which nothing is taken.
    ///
    /// - Parameter maxBytes: Bytes that may be held at once, at least 1; a decode that needs more than that alone is
    ///   refused. The default, 576 MiB, is what the default ``DecodeLimits`` allow one decode and its colour profile.
    public convenience init(maxBytes: Int = 576 << 20) { self.init(maxBytes: maxBytes, maxPasses: 0) }

    /// A budget in which a request that fits may pass earlier ones of its lane that do not, each of them so many times:
    /// then all wait behind it.
    package init(maxBytes: Int, maxPasses: Int) {
        precondition(maxBytes >= 1, "a budget has at least 1 byte")
        precondition(maxPasses >= 0, "a request is passed 0 times or more")
        self.maxBytes = maxBytes
        self.maxPasses = maxPasses
    }

    /// Bytes held now.
    public var grantedBytes: Int { state.locked(in: self) { $0.grantedBytes } }

    /// The highest ``grantedBytes`` there ever was.
    public var peakGrantedBytes: Int { state.locked(in: self) { $0.peakGrantedBytes } }

    /// Decodes that know what they need and wait for it.
    public var waitingCount: Int { state.locked(in: self) { $0.waiters.count } }

    /// Asks for bytes; what was granted is to be given back with ``giveBack(_:)``.
    ///
    /// Calls nobody, so a lock may be held; after `granted` call ``serveWaiting()`` when it is not.
    ///
    /// - Parameter whenGranted: Is called once, on the thread that made room or gave the turn, when the answer was
    ///   `waiting`. No lock of the budget is held.
    func take(
        _ byteCount: Int, priority: DecodeQueue.Priority, whenGranted: @escaping @Sendable () -> Void
    ) -> Answer {
        precondition(byteCount >= 1)
        guard byteCount <= maxBytes else { return .refused }
        return state.locked(in: self) { state in
            state.lastTicket += 1
            let ticket = state.lastTicket
            state.waiters[ticket] = Waiter(byteCount: byteCount, whenGranted: whenGranted)
            state.lanes[priority.rawValue].append(ticket)
            // Nobody else, even if it is another one's turn: that one is told, which must not happen here.
            _ = serveNext(&state, only: ticket)
            return state.waiters[ticket] == nil ? .granted : .waiting(ticket)
        }
    }

    /// Serves whose turn came when a newcomer was granted: it may have been the last one that could overtake.
    func serveWaiting() {
        let served = state.locked(in: self) { serve(&$0) }
        for waiter in served { waiter.whenGranted() }
    }

    /// Takes a waiting request out; false when it has been granted meanwhile.
    func cancel(_ ticket: UInt64) -> Bool {
        let (wasWaiting, served) = state.locked(in: self) { state -> (Bool, [Waiter]) in
            guard state.waiters.removeValue(forKey: ticket) != nil else { return (false, []) }
            // The one that left may have kept others waiting.
            return (true, serve(&state))
        }
        for waiter in served { waiter.whenGranted() }
        return wasWaiting
    }

    /// Takes bytes when they are free now and does not wait; what was taken is to be given back with ``giveBack(_:)``.
    ///
    /// Requests that wait are passed: use it for bytes that do not depend on theirs, and bound how many.
    package func takeIfFree(_ byteCount: Int) -> Bool {
        precondition(byteCount >= 1)
        return state.locked(in: self) { state in
            guard byteCount <= maxBytes - state.grantedBytes else { return false }
            state.grantedBytes += byteCount
            state.peakGrantedBytes = max(state.peakGrantedBytes, state.grantedBytes)
            return true
        }
    }

    /// Gives bytes back and serves who waits for them.
    package func giveBack(_ byteCount: Int) {
        let served = state.locked(in: self) { state in
            state.grantedBytes -= byteCount
            precondition(state.grantedBytes >= 0, "more was given back than taken")
            return serve(&state)
        }
        for waiter in served { waiter.whenGranted() }
    }

    private func serve(_ state: inout State) -> [Waiter] {
        var served: [Waiter] = []
        while let waiter = serveNext(&state) { served.append(waiter) }
        return served
    }

    /// Grants the request whose turn it is; nil when there is none, it is not `only`, or it does not fit yet: then
    /// nobody is served.
    private func serveNext(_ state: inout State, only: UInt64? = nil) -> Waiter? {
        var turn: (lane: Int, ticket: UInt64)?
        var longestOvertaken = Self.maxOvertakes - 1
        var heads: [UInt64] = []
        for lane in state.lanes.indices {
            while let ticket = state.lanes[lane].first, state.waiters[ticket] == nil {
                _ = state.lanes[lane].popFirst()
            }
            guard let ticket = state.lanes[lane].first, let waiter = state.waiters[ticket] else { continue }
            heads.append(ticket)
            if turn == nil { turn = (lane, ticket) }
            if waiter.overtaken > longestOvertaken {
                longestOvertaken = waiter.overtaken
                turn = (lane, ticket)
            }
        }
        guard let turn, let ticket = firstThatFits(state, lane: turn.lane), only ?? ticket == ticket,
            let waiter = state.waiters.removeValue(forKey: ticket)
        else { return nil }
        if ticket == turn.ticket {
            _ = state.lanes[turn.lane].popFirst()
        } else {
            for passed in state.lanes[turn.lane].all.prefix(while: { $0 != ticket }) {
                state.waiters[passed]?.passed += 1
            }
        }
        state.grantedBytes += waiter.byteCount
        state.peakGrantedBytes = max(state.peakGrantedBytes, state.grantedBytes)
        for head in heads where head < ticket && head != turn.ticket { state.waiters[head]?.overtaken += 1 }
        return waiter
    }

    /// The first of a lane that fits, when all before it may still be passed.
    private func firstThatFits(_ state: State, lane: Int) -> UInt64? {
        let free = maxBytes - state.grantedBytes
        for ticket in state.lanes[lane].all {
            guard let waiter = state.waiters[ticket] else { continue }
            if waiter.byteCount <= free { return ticket }
            if waiter.passed >= maxPasses { return nil }
        }
        return nil
    }
}
