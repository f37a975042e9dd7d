import Testing

@testable import PlatformImageLoader

@Suite struct InFlightStepTests {
    typealias Table = InFlightRequests<String, Int>

    @Test func waiterThatDoesNotRequestProgressReceivesOnlyTheResult() async {
        let table = Table()
        let gate = Gate()
        let waiter = table.join("a", wantsProgress: false) { progress in
            progress.report(.sending)
            progress.report(.progress(received: 1, expected: 2))
            try? await gate.pass()
            progress.report(.progress(received: 2, expected: 2))
            return 7
        }

        gate.open()

        guard case .ended(7) = await waiter.next() else {
            Issue.record("a step is delivered before the result")
            return
        }
    }

    @Test func progressIsDeliveredToAWaiterThatRequestsItWhenTheFirstWaiterDoesNot() async {
        let table = Table()
        let gate = Gate()
        let quiet = table.join("a", wantsProgress: false) { progress in
            progress.report(.sending)
            try? await gate.pass()
            return 7
        }
        let curious = table.join("a") { _ in 8 }

        guard case .sending = await curious.next() else {
            Issue.record("the first step is not `sending`")
            return
        }
        gate.open()

        #expect(await curious.output() == 7)
        #expect(await quiet.output() == 7)
        #expect(table.count == 0)
    }

    @Test func newRequestOfAKeyStartsImmediatelyAfterTheLastWaiterIsCancelled() async {
        let table = Table()
        let gate = Gate()
        let first = table.join("a", wantsProgress: false) { _ in
            try? await gate.pass()
            return 1
        }
        let task = Task { await first.output() }
        task.cancel()

        #expect(await task.value == nil)
        let second = table.join("a", wantsProgress: false) { _ in 2 }
        #expect(await second.output() == 2)
        gate.open()
    }
}
