import PlatformImageLoopbackOrigin
import Testing

@Suite struct OriginGateTests {
    @Test func openingAnOriginGateResumesEveryWaitingTask() async {
        let gate = OriginGate()
        let waiters = (0..<10).map { _ in Task { await gate.waitUntilOpen() } }

        gate.open()

        for waiter in waiters { await waiter.value }
        await gate.waitUntilOpen()
    }

    /// Cancels the task before, while or after it starts to wait, depending on `delay`. Without the cancellation the
    /// test would not end.
    @Test(.timeLimit(.minutes(1)), arguments: 0..<20) func cancellingATaskEndsItsWaitAtTheGate(_ delay: Int) async {
        let gate = OriginGate()
        let waiter = Task { await gate.waitUntilOpen() }

        for _ in 0..<delay { await Task.yield() }
        waiter.cancel()

        await waiter.value
    }
}
