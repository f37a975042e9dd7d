extension DecodeQueue {
    /// Runs `work`, which may throw any error, on one of the queue's threads.
    ///
    /// ```swift
    /// let text = try await queue.run { flag in try makeReport(of: picture, cancellation: flag) }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The lane to wait in.
    ///   - byteCount: What `work` will allocate, to be taken from the budget; 0 for next to nothing.
    ///   - work: Receives the flag that cancelling raises.
    /// - Throws: What `work` throws; a ``DecodeError`` when it never started: `invalidArgument` when `byteCount` is
    ///   negative, `limitExceeded` when it is over the whole budget, `cancelled`.
    public func run<Result: Sendable>(
        priority: Priority = .normal, byteCount: Int = 0,
        _ work: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(priority: priority, byteCount: byteCount, refusal: { $0 as any Error }, work)
    }

    /// Runs `work`, which throws errors of one type, on one of the queue's threads.
    ///
    /// - Parameters:
    ///   - priority: The lane to wait in.
    ///   - byteCount: What `work` will allocate, to be taken from the budget; 0 for next to nothing.
    ///   - refusal: Makes the caller's error of the queue's own, when the work never started: `invalidArgument` when
    ///     `byteCount` is negative, `limitExceeded` when it is over the whole budget, `cancelled`.
    ///   - work: Receives the flag that cancelling raises.
    /// - Throws: What `work` throws, or the error that `refusal` made.
    public func run<Result: Sendable, Failure: Error>(
        priority: Priority = .normal, byteCount: Int = 0, refusal: (DecodeError) -> Failure,
        _ work: @escaping @Sendable (CancellationFlag) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure>
        do throws(DecodeError) {
            outcome = try await run(priority: priority, byteCount: byteCount) { flag in
                Swift.Result { () throws(Failure) in try work(flag) }
            }
        } catch {
            throw refusal(error)
        }
        return try outcome.get()
    }
}
