import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite(.timeLimit(.minutes(30))) struct DecodeQueueTests {
    private func waitUntil(_ queue: DecodeQueue, waits count: Int) async {
        await yieldUntil { queue.waitingCount == count }
    }

    @Test func defaultQueueWidthIsTheAvailableProcessorCount() {
        #expect(DecodeQueue().width == AvailableProcessors().count)
    }

    @Test func runReturnsTheResultOfTheWorkClosure() async throws {
        #expect(try await DecodeQueue(width: 2).run { _ in 42 } == 42)
    }

    @Test func decodeRethrowsDecodeErrors() async {
        let error = await #expect(throws: DecodeError.self) {
            try await DecodeQueue(width: 1).decode(Array("hello".utf8))
        }
        #expect(error?.code == .unknownFormat)
    }

    @Test func jobsStartInOrderOfPriorityAndWithEqualPriorityInOrderOfArrival() async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        let order = Locked<[Int]>([])
        async let blocker: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()
        let jobs: [(Int, DecodeQueue.Priority)] = [
            (5, .low), (3, .normal), (1, .high), (4, .normal), (6, .low), (2, .high),
        ]

        try await withThrowingTaskGroup { group in
            for (index, (number, priority)) in jobs.enumerated() {
                group.addTask { try await queue.run(priority: priority) { _ in order.update { $0.append(number) } } }
                await waitUntil(queue, waits: index + 1)
            }
            gate.open()
            try await group.waitForAll()
        }

        try await blocker
        #expect(order.value == [1, 2, 3, 4, 5, 6])
    }

    @Test func concurrentJobsDoNotExceedTheQueueWidth() async throws {
        let queue = DecodeQueue(width: 2)
        let running = Locked((now: 0, most: 0))

        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    try await queue.run { _ in
                        running.update {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        running.update { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(running.value.most <= 2)
    }

    @Test func jobCancelledWhileWaitingNeverRuns() async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        async let blocker: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()
        let ran = Locked(false)

        let task = Task { try await queue.run { _ in ran.update { $0 = true } } }
        await waitUntil(queue, waits: 1)
        task.cancel()
        let result = await task.result

        // The job was removed from the queue although the only thread is still busy.
        #expect(queue.waitingCount == 0)
        #expect(throws: DecodeError.self) { try result.get() }
        gate.open()
        try await blocker
        #expect(!ran.value)
    }

    @Test func runInAnAlreadyCancelledTaskThrows() async {
        let queue = DecodeQueue(width: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await queue.run { _ in 1 }
        }

        task.cancel()

        let result = await task.result
        #expect(throws: DecodeError.self) { try result.get() }
    }

    @Test func cancellingARunningJobSetsItsCancellationFlag() async {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        let task = Task {
            try await queue.run { (flag) throws(DecodeError) in
                gate.pass()
                return flag.isCancelled
            }
        }
        await gate.waitUntilEntered()

        task.cancel()
        gate.open()

        let wasCancelled = try? await task.value
        #expect(wasCancelled == true)
    }

    @Test func workRunsOnTheQueueThreadAndNotOnTheMainThread() async throws {
        let queue = DecodeQueue(width: 1)
        let first = try await queue.run { _ in ThreadIdentity.current }
        let second = try await queue.run { _ in ThreadIdentity.current }

        #expect(first == second)
        await MainActor.run { #expect(ThreadIdentity.current != first) }
    }

    /// Every job ends exactly once under any race; resuming a continuation twice would trap.
    @Test func twentyThousandConcurrentCancellationsEndEveryJobExactlyOnce() async {
        let queue = DecodeQueue(width: 2)
        let ended = Locked(0)

        await withTaskGroup { group in
            for number in 0..<20_000 {
                group.addTask {
                    let task = Task {
                        let priority = DecodeQueue.Priority(rawValue: number % 3) ?? .normal
                        _ = try? await queue.run(priority: priority) { _ in number }
                        ended.update { $0 += 1 }
                    }
                    if number % 2 == 0 { task.cancel() }
                    if number % 7 == 0 { await Task.yield() }
                    task.cancel()
                    await task.value
                }
            }
        }

        #expect(ended.value == 20_000)
        #expect(queue.waitingCount == 0)
    }
}
