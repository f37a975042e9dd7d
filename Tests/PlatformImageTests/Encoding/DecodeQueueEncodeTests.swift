import PlatformImage
import PlatformImageTestSupport
import Testing

/// Encoding on a decode queue: results, errors, cancellation, priority and budget.
@Suite(.requirement("N13"), .timeLimit(.minutes(30))) struct DecodeQueueEncodeTests {
    private static let bitmap = SampleImage.gradient.bitmap(40, 30)
    private static let delay = FrameDelay(numerator: 1, denominator: 10)

    /// Runs `body` with a queue whose only thread is busy until the gate opens.
    private func withBlockedQueue(
        _ body: (DecodeQueue, QueueGate) async throws -> Void
    ) async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        async let _: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()
        defer { gate.open() }
        try await body(queue, gate)
    }

    @Test(arguments: EncodedFormat.allCases.filter(\.isAvailable))
    func encodeOnTheQueueReturnsTheBytesOfTheEncoder(format: EncodedFormat) async throws {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 33
        encoder.options.png.compressionLevel = 2
        let queue = DecodeQueue(width: 1)

        let file = try await queue.encode(Self.bitmap, as: format, with: encoder)

        #expect(try file == encoder.encode(Self.bitmap, as: format))
    }

    @Test func encodeAnimationOnTheQueueReturnsTheBytesOfTheEncoder() async throws {
        let frames = [Self.bitmap, SampleImage.noise.bitmap(40, 30)].map { AnimationFrame($0, delay: Self.delay) }

        let file = try await DecodeQueue(width: 1).encodeAnimation(frames, loopCount: 3)

        #expect(try file == ImageEncoder().encodeAnimation(frames, loopCount: 3))
    }

    #if WebP
    @Test func encodeAnimationAsWebPOnTheQueueReturnsTheBytesOfTheEncoder() async throws {
        let frames = [Self.bitmap, SampleImage.noise.bitmap(40, 30)].map { AnimationFrame($0, delay: Self.delay) }

        let file = try await DecodeQueue(width: 1).encodeAnimation(frames, as: .webp, loopCount: 3)

        #expect(try file == ImageEncoder().encodeAnimation(frames, as: .webp, loopCount: 3))
    }
    #endif

    @Test func encodeRethrowsEncodeErrors() async {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 0
        do throws(EncodeError) {
            _ = try await DecodeQueue(width: 1).encode(Self.bitmap, as: .jpeg, with: encoder)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .invalidArgument)
        }
    }

    @Test func cancellingAWaitingEncodingRemovesItFromTheQueue() async throws {
        try await withBlockedQueue { queue, _ in
            let task = Task { try await queue.encode(Self.bitmap, as: .png) }
            await yieldUntil { queue.waitingCount == 1 }

            task.cancel()
            let result = await task.result

            #expect(queue.waitingCount == 0)
            let error = #expect(throws: EncodeError.self) { try result.get() }
            #expect(error?.code == .cancelled && error?.format == .png)
        }
    }

    @Test func cancellingARunningEncodingThrowsCancelled() async {
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 100))
        // More work than can finish before the cancellation; all frames share one bitmap.
        let frame = AnimationFrame(SampleImage.noise.tiled(1000, 1000), delay: Self.delay)
        let frames = [AnimationFrame](repeating: frame, count: 100_000)
        let task = Task { try await queue.encodeAnimation(frames, byteCount: 10) }
        // The job runs as soon as its memory is reserved.
        await yieldUntil { queue.budget.grantedBytes == 10 }

        task.cancel()
        let result = await task.result

        let error = #expect(throws: EncodeError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test(arguments: DecodeQueue.Priority.allCases)
    func encodingRunsBeforeAWaitingJobOnlyIfItsPriorityIsHigher(priority: DecodeQueue.Priority) async throws {
        let waitingBehind = Locked(-1)
        try await withBlockedQueue { queue, gate in
            let normal = Task { try await queue.run { _ in waitingBehind.update { $0 = queue.waitingCount } } }
            await yieldUntil { queue.waitingCount == 1 }
            let encoding = Task { try await queue.encode(Self.bitmap, as: .png, priority: priority) }
            await yieldUntil { queue.waitingCount == 2 }

            gate.open()
            try await normal.value
            _ = try await encoding.value
        }
        // Only an encoding of high priority finishes before the other job, which has normal priority.
        #expect(waitingBehind.value == (priority == .high ? 0 : 1))
    }

    @Test func encodingThatNeedsMoreThanTheBudgetThrowsLimitExceeded() async {
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 100))
        for (byteCount, code) in [(101, EncodeError.Code.limitExceeded), (-1, .invalidArgument)] {
            let error = await #expect(throws: EncodeError.self) {
                try await queue.encode(Self.bitmap, as: .jpeg, byteCount: byteCount)
            }
            #expect(error?.code == code && error?.format == .jpeg)
        }
    }
}
