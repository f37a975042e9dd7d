import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `RequestLanes` with real waiting tasks.
@Suite(.timeLimit(.minutes(30)))
struct RequestLanesTests {
    /// A gate for any number of waiters; it opens once.
    private actor Gate {
        private var isOpen = false
        private var waiters: [CheckedContinuation<Void, Never>] = []

        func open() {
            isOpen = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }

        func wait() async {
            if isOpen { return }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    /// Returns once the task has acquired a slot; the task releases the slot when the gate opens.
    private func occupy(
        _ lanes: RequestLanes, _ permit: LanePermit, until gate: Gate
    ) async -> Task<Void, any Error> {
        let entered = Gate()
        let task = Task {
            try await lanes.withSlot(permit) { () async throws(LoadError) in
                await entered.open()
                await gate.wait()
            }
        }
        await entered.wait()
        return task
    }

    private func occupy(_ lanes: RequestLanes, _ lane: LoadPriority, until gate: Gate) async -> Task<Void, any Error> {
        await occupy(lanes, lanes.permit(lane), until: gate)
    }

    @Test func concurrentUrgentTasksDoNotExceedUrgentWidthAndAllTasksFinish() async throws {
        let lanes = RequestLanes(urgentWidth: 3)
        let running = Locked((now: 0, most: 0, ended: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in
                        running.update {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        await Task.yield()
                        running.update {
                            $0.now -= 1
                            $0.ended += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.value.most <= 3)
        #expect(running.value.ended == 200)
        #expect(lanes.counts == LaneCounts())
        // A task releases its closure, and with it the permit, shortly after its value is available.
        await yieldUntil { lanes.permitCount == 0 }
    }

    @Test func taskWithSlowPriorityStartsAfterTheLastUrgentTaskEnds() async throws {
        let lanes = RequestLanes()
        let gate = Gate()
        let urgent = await occupy(lanes, .urgent, until: gate)
        let slow = Task { try await lanes.withSlot(lanes.permit(.slow)) { () async throws(LoadError) in lanes.counts } }
        await yieldUntil { lanes.counts.slowWaiting == 1 }

        await gate.open()
        try await urgent.value

        #expect(try await slow.value == LaneCounts(slowRunning: 1))
    }

    @Test func runningTaskWithSlowPriorityContinuesWhenAnUrgentTaskStarts() async throws {
        let lanes = RequestLanes()
        let gate = Gate()
        let slow = await occupy(lanes, .slow, until: gate)

        let seen = try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in lanes.counts }

        #expect(seen == LaneCounts(urgentRunning: 1, slowRunning: 1))
        await gate.open()
        try await slow.value
    }

    @Test func fetchMovedToUrgentPriorityRunsBeforeWaitingFetchesWithSlowPriority() async throws {
        let lanes = RequestLanes(urgentWidth: 1)
        let gate = Gate()
        let order = Locked<[Int]>([])
        let first = await occupy(lanes, .slow, until: gate)
        let permits = (0..<3).map { _ in lanes.permit(.slow) }
        var tasks: [Task<Void, any Error>] = []
        for (number, permit) in permits.enumerated() {
            tasks.append(
                Task {
                    try await lanes.withSlot(permit) { () async throws(LoadError) in order.update { $0.append(number) }
                    }
                })
            await yieldUntil { lanes.counts.slowWaiting == number + 1 }
        }

        lanes.move(permits[2], to: .urgent)
        try await tasks[2].value
        #expect(order.value == [2])

        await gate.open()
        for task in tasks + [first] { try await task.value }
        #expect(order.value == [2, 0, 1])
    }

    @Test func runningFetchMovedToSlowPriorityContinuesAndReleasesItsUrgentSlot() async throws {
        let lanes = RequestLanes(urgentWidth: 1)
        let gate = Gate()
        let permit = lanes.permit(.urgent)
        let demoted = await occupy(lanes, permit, until: gate)

        lanes.move(permit, to: .slow)
        let seen = try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in lanes.counts }

        #expect(seen == LaneCounts(urgentRunning: 1, slowRunning: 1))
        await gate.open()
        try await demoted.value
        #expect(lanes.counts == LaneCounts())
    }

    @Test func permitOccupiesNoSlotBetweenAttemptsAndCanBeMovedToUrgentPriority() async throws {
        let lanes = RequestLanes(urgentWidth: 1)
        let permit = lanes.permit(.slow)
        await #expect(throws: LoadError.transport("reset")) {
            try await lanes.withSlot(permit) { () async throws(LoadError) in throw .transport("reset") }
        }
        #expect(lanes.counts == LaneCounts())
        lanes.move(permit, to: .urgent)

        let seen = try await lanes.withSlot(permit) { () async throws(LoadError) in lanes.counts }

        #expect(seen == LaneCounts(urgentRunning: 1))
    }

    @Test func suspendedLanesFinishRunningTasksAndStartNoWaitingTask() async throws {
        let lanes = RequestLanes()
        let gate = Gate()
        let running = await occupy(lanes, .urgent, until: gate)
        lanes.suspend()
        lanes.suspend()
        let waiting = Task { try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in 1 } }
        await yieldUntil { lanes.counts.urgentWaiting == 1 }

        await gate.open()
        try await running.value
        #expect(lanes.counts == LaneCounts(urgentWaiting: 1))

        lanes.resume()
        #expect(try await waiting.value == 1)
    }

    @Test func changedUrgentWidthAppliesImmediatelyToWaitingTasks() async throws {
        let lanes = RequestLanes(urgentWidth: 0)
        let gate = Gate()
        let tasks = (0..<5).map { _ in
            Task {
                try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in await gate.wait() }
            }
        }
        await yieldUntil { lanes.counts.urgentWaiting == 5 }

        lanes.setWidths(urgent: 3, slow: 1)
        #expect(lanes.counts == LaneCounts(urgentWaiting: 2, urgentRunning: 3))
        lanes.setWidths(urgent: 1, slow: 1)
        #expect(lanes.counts == LaneCounts(urgentWaiting: 2, urgentRunning: 3))

        await gate.open()
        for task in tasks { try await task.value }
        #expect(lanes.counts == LaneCounts())
    }

    @Test func waitingTaskThatIsCancelledNeverRuns() async throws {
        let lanes = RequestLanes(urgentWidth: 1)
        let gate = Gate()
        let ran = Locked(false)
        let first = await occupy(lanes, .urgent, until: gate)
        let waiter = Task {
            try await lanes.withSlot(lanes.permit(.urgent)) { () async throws(LoadError) in ran.update { $0 = true } }
        }
        await yieldUntil { lanes.counts.urgentWaiting == 1 }

        waiter.cancel()
        await #expect(throws: LoadError.cancelled()) { try await waiter.value }
        #expect(lanes.counts == LaneCounts(urgentRunning: 1))
        await gate.open()
        try await first.value
        #expect(!ran.value)
    }

    @Test func taskCancelledBeforeItWaitsNeverRunsAndItsPermitIsReusable() async throws {
        let lanes = RequestLanes()
        let permit = lanes.permit(.urgent)
        let gate = Gate()
        let late = Task {
            await gate.wait()
            _ = try await lanes.withSlot(permit) { () async throws(LoadError) in Issue.record("ran") }
        }
        late.cancel()
        await gate.open()

        await #expect(throws: LoadError.cancelled()) { try await late.value }
        #expect(lanes.counts == LaneCounts())
        #expect(try await lanes.withSlot(permit) { () async throws(LoadError) in 7 } == 7)
    }

    /// Cancellations, moves and admissions race: every task runs or throws, and no permit remains.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func everyTaskRunsOrThrowsDuringConcurrentCancellationsAndPriorityMoves(_ seed: UInt64) async throws {
        let lanes = RequestLanes(urgentWidth: 2)
        var random = SplitMix(seed: seed)
        let ran = Locked(0)
        var tasks: [(LanePermit, Task<Bool, Never>)] = []
        for _ in 0..<1_500 {
            let permit = lanes.permit(Bool.random(using: &random) ? .urgent : .slow)
            let task = Task {
                do throws(LoadError) {
                    try await lanes.withSlot(permit) { () async throws(LoadError) in
                        await Task.yield()
                        ran.update { $0 += 1 }
                    }
                    return true
                } catch {
                    return false
                }
            }
            tasks.append((permit, task))
            let victim = tasks[Int.random(in: 0..<tasks.count, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: victim.1.cancel()
            case 1: lanes.move(victim.0, to: .urgent)
            case 2: lanes.move(victim.0, to: .slow)
            default: await Task.yield()
            }
        }
        var finished = 0
        for (_, task) in tasks { finished += await task.value ? 1 : 0 }
        tasks = []
        #expect(finished == ran.value)
        #expect(lanes.counts == LaneCounts())
        // A task releases its closure, and with it the permit, shortly after its value is available.
        await yieldUntil { lanes.permitCount == 0 }
    }
}
