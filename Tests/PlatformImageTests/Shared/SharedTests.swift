import Synchronization
import Testing

@testable import PlatformImage

@Suite struct DurationCountTests {
    @Test func durationInIntegerUnitsIsTruncatedTowardsZero() {
        let duration = Duration(secondsComponent: 1, attosecondsComponent: 999_999_999_999_999_999)
        #expect(duration.millisecondCount == 1_999)
        #expect(duration.microsecondCount == 1_999_999)
        #expect(duration.nanosecondCount == 1_999_999_999)
        #expect((.zero - duration).millisecondCount == -1_999)
        #expect(Duration.zero.millisecondCount == 0)
    }

    @Test func durationInIntegerUnitsSaturatesOutsideTheIntegerRange() {
        #expect(Duration.seconds(Int64.max).millisecondCount == .max)
        #expect(Duration.seconds(Int64.min).nanosecondCount == .min)
        #expect(Duration.seconds(Int64.max / 1_000).millisecondCount == Int64.max / 1_000 * 1_000)
        let edge = Duration.seconds(Int64.max / 1_000) + .milliseconds(900)
        #expect(edge.millisecondCount == .max)
    }
}

@Suite struct TicketQueueTests {
    /// Compares the queue with an array, at lengths at which the queue releases the memory of removed tickets.
    @Test func elementsOfATicketQueueAreRemovedInOrderOfInsertion() {
        var (queue, model) = (TicketQueue<Int>(), [Int]())
        var random = SystemRandomNumberGenerator()
        for ticket in 0..<2_000 {
            queue.append(ticket)
            model.append(ticket)
            while Int.random(in: 0..<5, using: &random) < 2 {
                #expect(queue.first == model.first)
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
            #expect(queue.all.elementsEqual(model))
        }
    }

    @Test func cancelledTicketsAreRemovedIfTheyOutnumberWaitingTicketsByMoreThan64() {
        var queue = TicketQueue<Int>()
        for ticket in 0..<100 { queue.append(ticket) }

        queue.compact(waitingCount: 18) { $0 % 10 == 0 }
        #expect(queue.count == 100)

        queue.compact(waitingCount: 10) { $0 % 10 == 0 }
        #expect(Array(queue.all) == Array(stride(from: 0, to: 100, by: 10)))
    }
}

@Suite struct DetachedThreadTests {
    /// Counts the runs of the thread's closure, and passes the count to `onRelease` when the closure is released.
    private final class Token: Sendable {
        let runs = Atomic(0)
        let onRelease: @Sendable (Int) -> Void

        init(_ onRelease: @escaping @Sendable (Int) -> Void) { self.onRelease = onRelease }

        deinit { onRelease(runs.load(ordering: .relaxed)) }
    }

    @Test func detachedThreadRunsTheClosureOnceAndReleasesTheClosure() async {
        let runs = await withCheckedContinuation { continuation in
            let token = Token { continuation.resume(returning: $0) }
            let failure = DetachedThread.start { token.runs.add(1, ordering: .relaxed) }
            #expect(failure == nil)
        }
        #expect(runs == 1)
    }

    @Test func failedThreadCreationReturnsAnErrorAndReleasesTheClosure() async {
        let runs = await withCheckedContinuation { continuation in
            let token = Token { continuation.resume(returning: $0) }
            // No address space is large enough for the stack.
            let failure = DetachedThread.start(stackBytes: 1 << 50) { token.runs.add(1, ordering: .relaxed) }
            #expect(failure != nil)
        }
        #expect(runs == 0)
    }
}
