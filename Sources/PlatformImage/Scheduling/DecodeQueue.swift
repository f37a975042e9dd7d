import Synchronization

/// Runs decodes on dedicated threads: never on the main thread or in Swift's shared pool.
///
/// At most ``width`` decodes run at the same time. The other jobs wait, first in, first out within one ``Priority``;
/// jobs of higher priority start first, except that jobs with memory already reserved from the ``budget`` precede all
/// other jobs. Cancelling the awaiting task removes a waiting job immediately and stops a running job at its next batch
/// of rows.
public final class DecodeQueue: Sendable {
    /// The priority of a job: jobs of higher priority start first.
    public enum Priority: Int, CaseIterable, Sendable {
        /// Jobs of this priority start before jobs of all other priorities.
        case high
        case normal
        /// Jobs of this priority start when no job of another priority waits.
        case low
    }

    /// Number of threads, which is the maximum number of concurrent decodes.
    public let width: Int
    /// The byte budget of the queue's decodes.
    public let budget: DecodeBudget
    let jobs: DecodeJobs

    /// Starts the threads; they end after the queue is released and its last job is done.
    ///
    /// - Parameters:
    ///   - width: Number of threads. 0 means the minimum of three numbers: the online processors, the processors in the
    ///     affinity mask of the calling thread (`taskset`, `sched_setaffinity(2)`), and the CPU quota of the process's
    ///     cgroups, rounded up (0.5 gives 1, 2.5 gives 3). A negative number traps; a number of threads that the system
    ///     cannot start also traps.
    ///   - budget: Byte budget from which decodes reserve memory before they allocate; may be shared with other queues.
    ///   - niceness: Scheduling priority of the threads, 0 (normal) to 19 (lowest) as in `nice`. A positive value keeps
    ///     a server responsive while decodes use every core. Linux only; no effect elsewhere.
    public init(width: Int = 0, budget: DecodeBudget = DecodeBudget(), niceness: Int = 0) {
        precondition(width >= 0, "width must be 0 (one thread per processor) or more")
        precondition((0...19).contains(niceness), "niceness must be in 0...19")
        self.width = width > 0 ? width : AvailableProcessors().count
        self.budget = budget
        let jobs = DecodeJobs(budget: budget)
        self.jobs = jobs
        for _ in 0..<self.width {
            let failure = DetachedThread.start(niceness: niceness) { while jobs.runNext() {} }
            precondition(failure == nil, "pthread_create failed with error \(failure ?? 0)")
        }
    }

    deinit { jobs.close(threads: width) }

    /// Number of jobs that wait for a thread.
    public var waitingCount: Int { jobs.waitingCount }

    /// Runs `work` on one of the queue's threads.
    ///
    /// - Parameters:
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that `work` will allocate, reserved from the budget; 0 for a negligible amount.
    ///   - work: Receives the flag that cancellation raises; pass it to the decoder. Overloads accept work that throws
    ///     other errors.
    /// - Throws: The errors of `work`, `invalidArgument` when `byteCount` is negative, `limitExceeded` when it exceeds
    ///   ``DecodeBudget/maxBytes``, or `cancelled` when the work never started.
    public func run<Result: Sendable>(
        priority: Priority = .normal, byteCount: Int = 0,
        _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try DecodeError.check(byteCount, "byteCount", isIn: 0 ... .max)
        return try await submit(priority) { flag, complete in
            guard byteCount > 0 else { return .done(complete(.now) { () throws(DecodeError) in try work(flag) }) }
            return .needs(byteCount) { start in
                .done(complete(start) { () throws(DecodeError) in try work(flag) })
            }
        }
    }

    /// Runs `work` on one of the queue's threads, after `measure` computed on that thread the memory that `work` needs.
    ///
    /// - Parameter measure: Called once, on the queue's thread, before memory is reserved; returns the bytes that
    ///   `work` will allocate, 0 or more; a negative number traps.
    /// - Throws: The errors of ``run(priority:byteCount:_:)``.
    package func run<Result: Sendable>(
        priority: Priority = .normal, measure: @escaping @Sendable () -> Int,
        _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try await submit(priority) { flag, complete in
            let byteCount = measure()
            precondition(byteCount >= 0, "byteCount must be 0 or more")
            guard byteCount > 0 else { return .done(complete(.now) { () throws(DecodeError) in try work(flag) }) }
            return .needs(byteCount) { start in
                .done(complete(start) { () throws(DecodeError) in try work(flag) })
            }
        }
    }

    /// Runs the work unless `start` is `refused`, and returns the closure that reports the result to the caller.
    typealias JobCompletion<Result> =
        @Sendable (DecodeJobs.Start, () throws(DecodeError) -> Result) -> DecodeJobs.Delivery

    func submit<Result: Sendable>(
        _ priority: Priority,
        _ body: @escaping @Sendable (CancellationFlag, @escaping JobCompletion<Result>) -> DecodeJobs.BodyResult
    ) async throws(DecodeError) -> Result {
        let flag = CancellationFlag()
        let ticket = jobs.ticket(flag: flag)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Swift.Result<Result, DecodeError>, Never>) in
                let complete: JobCompletion<Result> = { start, work in
                    let result: Swift.Result<Result, DecodeError>
                    switch start {
                    case .now: result = Swift.Result { () throws(DecodeError) in try work() }
                    case .refused(let error): result = .failure(error)
                    }
                    return { continuation.resume(returning: result) }
                }
                jobs.enqueue(ticket, priority: priority) { start in
                    switch start {
                    case .now: body(flag, complete)
                    case .refused(let error): .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
                    }
                }
            }
        } onCancel: {
            jobs.cancel(ticket)
        }
        return try result.get()
    }
}

extension DecodeQueue {
    /// Runs `work`, which may throw any error, on one of the queue's threads.
    ///
    /// ```swift
    /// let text = try await queue.run { flag in try makeReport(of: image, cancellation: flag) }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that `work` will allocate, reserved from the budget; 0 for a negligible amount.
    ///   - work: Receives the flag that cancellation raises.
    /// - Throws: The errors of `work`; a ``DecodeError`` when it never started: `invalidArgument` when `byteCount` is
    ///   negative, `limitExceeded` when it exceeds ``DecodeBudget/maxBytes``, `cancelled`.
    public func run<Result: Sendable>(
        priority: Priority = .normal, byteCount: Int = 0,
        _ work: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        try await run(priority: priority, byteCount: byteCount, refusal: { $0 as any Error }, work)
    }

    /// Runs `work`, which throws errors of one type, on one of the queue's threads.
    ///
    /// - Parameters:
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that `work` will allocate, reserved from the budget; 0 for a negligible amount.
    ///   - refusal: Converts the queue's error to the caller's type when the work never started: `invalidArgument` when
    ///     `byteCount` is negative, `limitExceeded` when it exceeds ``DecodeBudget/maxBytes``, `cancelled`.
    ///   - work: Receives the flag that cancellation raises.
    /// - Throws: The errors of `work`, or the result of `refusal`.
    public func run<Result: Sendable, Failure: Error>(
        priority: Priority = .normal, byteCount: Int = 0, refusal: (DecodeError) -> Failure,
        _ work: @escaping @Sendable (CancellationFlag) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure>
        do throws(DecodeError) {
            result = try await run(priority: priority, byteCount: byteCount) { flag in
                Swift.Result { () throws(Failure) in try work(flag) }
            }
        } catch {
            throw refusal(error)
        }
        return try result.get()
    }
}

extension ImageDecoder {
    /// A copy of the decoder whose options contain the size of the budget: a PNG decode that would need more memory
    /// uses a slower decoder that needs less.
    func bounded(by budget: DecodeBudget) -> ImageDecoder {
        var bounded = self
        bounded.options.budgetBytes = budget.maxBytes
        return bounded
    }
}
