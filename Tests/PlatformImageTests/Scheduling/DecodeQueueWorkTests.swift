import PlatformImage
import PlatformImageTestSupport
import Testing

/// Closures that run on a decode queue and throw errors of any type.
@Suite(.requirement("N13"), .timeLimit(.minutes(30))) struct DecodeQueueWorkTests {
    private struct WorkError: Error, Equatable { let number: Int }

    private static func untyped(_ number: Int) throws -> Int {
        guard number == 0 else { throw WorkError(number: number) }
        return 42
    }

    private static func typed(_ number: Int) throws(WorkError) -> Int {
        guard number == 0 else { throw WorkError(number: number) }
        return 42
    }

    @Test func runRethrowsUntypedErrors() async throws {
        let queue = DecodeQueue(width: 1)

        #expect(try await queue.run { _ in try Self.untyped(0) } == 42)
        await #expect(throws: WorkError(number: 7)) { try await queue.run { _ in try Self.untyped(7) } }
        await #expect(throws: WorkError(number: 8)) {
            try await queue.run(priority: .high, byteCount: 5) { flag in
                guard !flag.isCancelled else { return 0 }
                return try Self.untyped(8)
            }
        }
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test func runRethrowsTypedErrorsWithTheirType() async {
        let queue = DecodeQueue(width: 1)
        do {
            _ = try await queue.run(refusal: { _ in WorkError(number: -1) }) { (_) throws(WorkError) in
                try Self.typed(9)
            }
            Issue.record("nothing was thrown")
        } catch {
            // No cast, because the error type is static.
            #expect(error.number == 9)
        }
    }

    @Test func queueErrorsAreConvertedByTheRefusalClosure() async {
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 100))
        let refused = Locked<[DecodeError.Code]>([])
        for byteCount in [101, -1] {
            do {
                _ = try await queue.run(
                    byteCount: byteCount,
                    refusal: { error in
                        refused.update { $0.append(error.code) }
                        return WorkError(number: byteCount)
                    }
                ) { (_) throws(WorkError) in 1 }
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.number == byteCount)
            }
        }
        #expect(refused.value == [.limitExceeded, .invalidArgument])
    }

    @Test func queueErrorsWithoutARefusalClosureAreDecodeErrors()
        async
    {
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 100))
        let error = await #expect(throws: DecodeError.self) {
            try await queue.run(byteCount: 101) { _ in try Self.untyped(0) }
        }
        #expect(error?.code == .limitExceeded && error?.detail == "decodeBudget")
    }

    @Test func workClosureThatCanThrowNeverRunsWhenCancelledWhileWaiting() async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        async let blocker: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()
        let ran = Locked(false)
        let task = Task {
            try await queue.run { _ in
                ran.update { $0 = true }
                return try Self.untyped(0)
            }
        }
        await yieldUntil { queue.waitingCount == 1 }

        task.cancel()
        let result = await task.result

        #expect(queue.waitingCount == 0)
        let error = #expect(throws: DecodeError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        gate.open()
        try await blocker
        #expect(!ran.value)
    }

    @Test func cancellingARunningWorkClosureThatCanThrowSetsItsCancellationFlag() async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        let task = Task {
            try await queue.run { flag in
                gate.pass()
                return try Self.untyped(flag.isCancelled ? 5 : 0)
            }
        }
        await gate.waitUntilEntered()

        task.cancel()
        gate.open()

        let result = await task.result
        #expect(throws: WorkError(number: 5)) { try result.get() }
    }
}
