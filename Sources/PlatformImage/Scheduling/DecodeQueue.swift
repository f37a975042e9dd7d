import Synchronization

/// Runs decodes on its own threads: never the main thread, never Swift's shared pool.
///
/// At most ``width`` decodes run at once; the others wait in three lanes, first come first served in each, and a job
/// of a higher lane starts first, but for those to which the ``budget`` has given their bytes already. Cancelling the
/// awaiting task takes a waiting job out at once and ends a running one at its next row batch.
public final class DecodeQueue: Sendable {
    /// Which waiting job starts next.
    public enum Priority: Int, CaseIterable, Sendable {
        /// Starts before all others.
        case high
        case normal
        /// Starts when no other job waits.
        case low
    }

    /// Threads, and so decodes at once.
    public let width: Int
    /// The bytes that running decodes hold.
    public let budget: DecodeBudget
    let jobs: DecodeJobs

    /// Starts the threads, which end when the queue and its last job are gone.
    ///
    /// - Parameters:
    ///   - width: Threads; 0 means one for every processor that the process may use: online, in the affinity of the
    ///     calling thread (`taskset`, `sched_setaffinity(2)`), and within the CPU quota of its cgroups, rounded up: 0.5
    ///     give 1, 2.5 give 3. A negative number traps, and so does one for which the system has not enough threads.
    ///   - budget: Where decodes take their bytes from before they allocate; may be shared with other queues.
    ///   - niceness: How much the threads give way where others want the cores too, 0 to 19 as `nice` counts; 0 is not
    ///     at all. A server that decodes on every core goes on answering. Linux alone has it; elsewhere it has no
    ///     effect.
    public init(width: Int = 0, budget: DecodeBudget = DecodeBudget(), niceness: Int = 0) {
        precondition(width >= 0, "a queue has a width of 0 (one per processor) or more")
        precondition((0...19).contains(niceness), "a niceness is 0 to 19")
        self.width = width > 0 ? width : AvailableProcessors().count
        self.budget = budget
        let jobs = DecodeJobs(budget: budget)
        self.jobs = jobs
        for _ in 0..<self.width {
            let failure = DetachedThread.start(niceness: niceness) { while jobs.runNext() {} }
            precondition(failure == nil, "no thread for decoding: error \(failure ?? 0)")
        }
    }

    deinit { jobs.close(threads: width) }

    /// Jobs that wait for a thread now.
    public var waitingCount: Int { jobs.waitingCount }

    /// Decodes off the caller's thread, as soon as the budget has the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - contentType: What the sender declared; nil for nothing.
    ///   - decoder: Options, limits and remembered colour transforms; share one between calls.
    ///   - priority: The lane to wait in.
    /// - Throws: What the decoder throws; `limitExceeded` with the detail `decodeBudget` when the decode alone needs
    ///   more than the whole ``budget``; `cancelled` when the awaiting task was cancelled before the decode was done.
    public func decode(
        _ bytes: [UInt8], as contentType: ContentType? = nil, with decoder: ImageDecoder = ImageDecoder(),
        priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        try await decode(bytes, as: contentType, with: decoder, priority: priority) { $0 }
    }

    /// Decodes off the caller's thread and finishes there, while the decode's bytes still count as taken.
    ///
    /// What `finish` does not keep, such as a bitmap that went into a cache with a limit of its own, is gone when the
    /// next decode gets the bytes: with it memory is bounded by budget and cache, however late the caller goes on.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - contentType: What the sender declared; nil for nothing.
    ///   - decoder: Options, limits and remembered colour transforms; share one between calls.
    ///   - priority: The lane to wait in.
    ///   - finish: Is called once with the decoded picture, on the decoding thread; keep it short.
    /// - Returns: What `finish` returned.
    /// - Throws: As the other `decode`.
    public func decode<Result: Sendable>(
        _ bytes: [UInt8], as contentType: ContentType? = nil, with decoder: ImageDecoder = ImageDecoder(),
        priority: Priority = .normal, finish: @escaping @Sendable (DecodedImage) -> Result
    ) async throws(DecodeError) -> Result {
        try await decode(
            bytes, as: contentType, with: decoder, priority: priority, timed: { image, _ in finish(image) })
    }

    /// As the public one; `finish` is also told how long the decode took on its thread.
    package func decode<Result: Sendable>(
        _ bytes: [UInt8], as contentType: ContentType? = nil, with decoder: ImageDecoder,
        priority: Priority, timed finish: @escaping @Sendable (DecodedImage, Duration) -> Result
    ) async throws(DecodeError) -> Result {
        let decoder = decoder.bounded(by: budget)
        return try await submit(priority) { flag, ended in
            do throws(DecodeError) {
                let prepared = try decoder.prepare(bytes.span, as: contentType, cancellation: flag)
                return .needs(prepared.byteCount) { start in
                    ended(start) { () throws(DecodeError) in
                        let begin = ContinuousClock.now
                        let image = try decoder.decode(prepared, bytes.span)
                        return finish(image, begin.duration(to: .now))
                    }
                }
            } catch {
                return .done(ended(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }

    /// Runs `work` on one of the queue's threads.
    ///
    /// - Parameters:
    ///   - priority: The lane to wait in.
    ///   - byteCount: What `work` will allocate, to be taken from the budget; 0 for next to nothing.
    ///   - work: Gets the flag that cancelling raises; pass it to the decoder. For work that throws other errors there
    ///     are overloads.
    /// - Throws: What `work` throws, `invalidArgument` when `byteCount` is negative, `limitExceeded` when it is over
    ///   the whole budget, or `cancelled` when the work never started.
    public func run<Result: Sendable>(
        priority: Priority = .normal, byteCount: Int = 0,
        _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try DecodeError.check(byteCount, "byteCount", isIn: 0 ... .max)
        return try await submit(priority) { flag, ended in
            guard byteCount > 0 else { return .done(ended(.now) { () throws(DecodeError) in try work(flag) }) }
            return .needs(byteCount) { start in ended(start) { () throws(DecodeError) in try work(flag) } }
        }
    }

    /// Runs `work` on one of the queue's threads, when that thread knows what it will allocate.
    ///
    /// - Parameter measure: Is called once, on the thread, before the bytes are waited for; what it returns is 0 or
    ///   more.
    /// - Throws: As ``run(priority:byteCount:_:)``.
    package func run<Result: Sendable>(
        priority: Priority = .normal, measure: @escaping @Sendable () -> Int,
        _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try await submit(priority) { flag, ended in
            let byteCount = measure()
            precondition(byteCount >= 0, "work takes 0 bytes or more")
            guard byteCount > 0 else { return .done(ended(.now) { () throws(DecodeError) in try work(flag) }) }
            return .needs(byteCount) { start in ended(start) { () throws(DecodeError) in try work(flag) } }
        }
    }

    /// Runs the work when the start says so, and gives back what tells the caller.
    typealias Ending<Result> =
        @Sendable (DecodeJobs.Start, () throws(DecodeError) -> Result) -> DecodeJobs.Deliver

    func submit<Result: Sendable>(
        _ priority: Priority,
        _ body: @escaping @Sendable (CancellationFlag, @escaping Ending<Result>) -> DecodeJobs.Step
    ) async throws(DecodeError) -> Result {
        let flag = CancellationFlag()
        let ticket = jobs.ticket(flag: flag)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Swift.Result<Result, DecodeError>, Never>) in
                let ended: Ending<Result> = { start, work in
                    let outcome: Swift.Result<Result, DecodeError>
                    switch start {
                    case .now: outcome = Swift.Result { () throws(DecodeError) in try work() }
                    case .refused(let error): outcome = .failure(error)
                    }
                    return { continuation.resume(returning: outcome) }
                }
                jobs.enqueue(ticket, priority: priority) { start in
                    switch start {
                    case .now: body(flag, ended)
                    case .refused(let error): .done(ended(.refused(error)) { () throws(DecodeError) in throw error })
                    }
                }
            }
        } onCancel: {
            jobs.cancel(ticket)
        }
        return try outcome.get()
    }
}

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

extension ImageDecoder {
    /// The same decoder, which takes ways with less memory rather than to need more than the whole budget.
    func bounded(by budget: DecodeBudget) -> ImageDecoder {
        var bounded = self
        bounded.options.budgetBytes = budget.maxBytes
        return bounded
    }
}
