import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

/// A decode queue with a memory budget.
@Suite(.timeLimit(.minutes(30))) struct DecodeQueueBudgetTests {
    private func waitUntil(_ condition: @autoclosure () -> Bool) async {
        await yieldUntil(condition)
    }

    @Test func hundredConcurrentDecodesStayWithinTheMemoryBudgetAndComplete() async throws {
        let bytes = BMPFile.monochrome(width: 500, height: 500)
        let budget = DecodeBudget(maxBytes: 2_500_000)
        let queue = DecodeQueue(width: 4, budget: budget)

        let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await queue.decode(bytes).bitmap.byteCount } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(sizes == Array(repeating: 1_000_000, count: 100))
        #expect(budget.grantedBytes == 0)
        #expect(budget.waitingCount == 0)
        #expect(budget.peakGrantedBytes <= 2_500_000)
        #expect(budget.peakGrantedBytes >= 1_000_000)
    }

    @Test func budgetBytesAreReservedUntilTheFinishClosureReturns() async throws {
        let bytes = BMPFile.monochrome(width: 100, height: 100)
        let budget = DecodeBudget(maxBytes: 1 << 20)

        let held = try await DecodeQueue(width: 1, budget: budget).decode(bytes) { image in
            (budget.grantedBytes, image.bitmap.byteCount)
        }

        #expect(held.0 >= held.1)
        #expect(budget.grantedBytes == 0)
    }

    @Test func decodeThatNeedsMoreThanTheBudgetThrowsLimitExceeded() async {
        let budget = DecodeBudget(maxBytes: 39_999)
        let queue = DecodeQueue(width: 1, budget: budget)

        let error = await #expect(throws: DecodeError.self) {
            try await queue.decode(BMPFile.monochrome(width: 100, height: 100))
        }

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "decodeBudget")
        #expect(budget.peakGrantedBytes == 0)
        #expect(queue.waitingCount == 0)
    }

    @Test(arguments: ["jpeg/cmyk-icc.jpg", "jpeg/icc-p3.jpg", "png/iccp-rgba.png"])
    func conversionFromAnICCProfileReservesAtLeastTenTimesTheProfileSize(_ path: String) async throws {
        let bytes = try Fixture.file(path)
        let (asStored, converted) = (DecodeBudget(), DecodeBudget())

        _ = try await DecodeQueue(width: 1, budget: asStored).decode(bytes, with: ImageDecoder(options: .asStored))
        let image = try await DecodeQueue(width: 1, budget: converted).decode(bytes)

        #expect(image.header.iccProfileByteCount > 0)
        #expect(converted.peakGrantedBytes - asStored.peakGrantedBytes >= 10 * image.header.iccProfileByteCount)
    }

    @Test func failedDecodeReleasesItsReservedBytes() async throws {
        let budget = DecodeBudget()
        let queue = DecodeQueue(width: 1, budget: budget)
        let cut = try Fixture.file("demo/mountains.jpg").prefix(700)

        _ = try? await queue.decode(Array(cut))
        _ = try? await queue.run(byteCount: 10) { (_) throws(DecodeError) in
            _ = try ImageDecoder().decode([1, 2, 3])
        }

        #expect(budget.grantedBytes == 0)
    }

    /// Another queue has reserved the complete budget; the only thread of this queue stays available for work that
    /// reserves no memory.
    @Test func jobThatWaitsForMemoryOccupiesNoThread() async throws {
        let budget = DecodeBudget(maxBytes: 100)
        let holder = DecodeQueue(width: 1, budget: budget)
        let queue = DecodeQueue(width: 1, budget: budget)
        let gate = DispatchSemaphore(value: 0)
        async let held: Void = holder.run(byteCount: 100) { _ in gate.wait() }
        defer { gate.signal() }
        await waitUntil(budget.grantedBytes == 100)

        async let waiting = queue.run(byteCount: 50) { _ in 1 }
        await waitUntil(budget.waitingCount == 1)
        #expect(try await queue.run { _ in 2 } == 2)

        gate.signal()
        #expect(try await waiting == 1)
        try await held
    }

    /// A job with reserved memory gets the next free thread regardless of its priority, because other jobs wait for
    /// this memory.
    @Test func jobWithReservedMemoryStartsBeforeJobsOfHigherPriority() async throws {
        let budget = DecodeBudget(maxBytes: 100)
        let holder = DecodeQueue(width: 1, budget: budget)
        let queue = DecodeQueue(width: 1, budget: budget)
        let (bytesGate, threadGate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Locked<[String]>([])
        async let held: Void = holder.run(byteCount: 100) { _ in bytesGate.wait() }
        defer { bytesGate.signal() }
        await waitUntil(budget.grantedBytes == 100)
        async let low: Void = queue.run(priority: .low, byteCount: 100) { _ in order.update { $0.append("low") } }
        await waitUntil(budget.waitingCount == 1)
        let isBusy = Locked(false)
        async let busy: Void = queue.run { _ in
            isBusy.update { $0 = true }
            threadGate.wait()
        }
        defer { threadGate.signal() }
        await waitUntil(isBusy.value)
        async let high: Void = queue.run(priority: .high) { _ in order.update { $0.append("high") } }
        await waitUntil(queue.waitingCount == 1)

        bytesGate.signal()
        try await held
        await waitUntil(queue.waitingCount == 2)
        threadGate.signal()

        _ = try await (low, high, busy)
        #expect(order.value == ["low", "high"])
    }

    @Test func cancellingAJobThatWaitsForMemoryEndsItImmediately() async throws {
        let budget = DecodeBudget(maxBytes: 100)
        let queue = DecodeQueue(width: 2, budget: budget)
        let gate = DispatchSemaphore(value: 0)
        async let held: Void = queue.run(byteCount: 100) { _ in gate.wait() }
        defer { gate.signal() }
        await waitUntil(budget.grantedBytes == 100)
        let task = Task { try await queue.run(byteCount: 1) { _ in Issue.record("the cancelled job ran") } }
        await waitUntil(budget.waitingCount == 1)

        task.cancel()
        let result = await task.result

        let error = #expect(throws: DecodeError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        #expect(budget.waitingCount == 0)
        gate.signal()
        try await held
        #expect(budget.grantedBytes == 0)
    }

    @Test func continuousSmallJobsDoNotStarveALargeJob() async throws {
        let budget = DecodeBudget(maxBytes: 1000)
        let queue = DecodeQueue(width: 3, budget: budget)
        let isDone = Locked(false)
        let smallOnes = Locked(0)

        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    // Runs urgent jobs until the large job has finished.
                    while !isDone.value {
                        try await queue.run(priority: .high, byteCount: 500) { _ in smallOnes.update { $0 += 1 } }
                    }
                }
            }
            group.addTask {
                await waitUntil(smallOnes.value > 10)
                try await queue.run(priority: .low, byteCount: 1000) { _ in isDone.update { $0 = true } }
            }
            try await group.waitForAll()
        }

        #expect(isDone.value)
        #expect(budget.grantedBytes == 0)
    }

    /// Every job ends exactly once under any race, and all bytes are released.
    @Test func tenThousandConcurrentJobsWithCancellationsReleaseAllReservedBytes() async {
        let budget = DecodeBudget(maxBytes: 1000)
        let queues = [DecodeQueue(width: 2, budget: budget), DecodeQueue(width: 1, budget: budget)]
        let ended = Locked(0)
        let most = Locked(0)

        await withTaskGroup { group in
            for number in 0..<10_000 {
                group.addTask {
                    let task = Task {
                        let priority = DecodeQueue.Priority(rawValue: number % 3) ?? .normal
                        let byteCount = number * 7_919 % 1100 + 1
                        _ = try? await queues[number % 2].run(priority: priority, byteCount: byteCount) { _ in
                            most.update { $0 = max($0, budget.grantedBytes) }
                        }
                        ended.update { $0 += 1 }
                    }
                    if number % 5 == 0 { task.cancel() }
                    if number % 7 == 0 { await Task.yield() }
                    if number % 3 == 0 { task.cancel() }
                    await task.value
                }
            }
        }

        #expect(ended.value == 10_000)
        #expect(budget.grantedBytes == 0)
        #expect(budget.waitingCount == 0)
        #expect(most.value <= 1000)
        #expect(budget.peakGrantedBytes <= 1000)
    }

    /// Runs in a dedicated process, because concurrent tests allocate bitmaps too.
    @Test func onlyCachedBitmapsStayAllocatedAfterAllDecodes() async {
        await #expect(processExitsWith: .success) {
            let bytes = BMPFile.monochrome(width: 1200, height: 1200)  // mapped pixels
            let cache = MemoryCache<Int, Bitmap>(maxBytes: 20 << 20)
            do {
                let queue = DecodeQueue(width: 2, budget: DecodeBudget(maxBytes: 16 << 20))
                await withTaskGroup { group in
                    for number in 0..<50 {
                        group.addTask {
                            _ = try? await queue.decode(bytes) { image in
                                cache.insert(image.bitmap, for: number, cost: image.bitmap.byteCount)
                            }
                        }
                    }
                }
            }
            precondition(cache.count == 3 && Bitmap.liveBitmapBytes == cache.totalBytes)
            cache.removeAll()
            precondition(Bitmap.liveBitmapBytes == 0)
        }
    }
}
