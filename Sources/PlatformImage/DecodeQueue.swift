import Synchronization

/// Runs decodes on its own threads: never the main thread, never Swift's shared pool.
///
/// At most ``width`` decodes run at once; the others wait in three lanes, first come first served in each, and a job
/// of a higher lane always starts first. Cancelling the awaiting task takes a waiting job out at once and ends a
/// running one at its next row batch.
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
    private let jobs = DecodeJobs()

    /// Starts the threads, which end when the queue and its last job are gone.
    ///
    /// - Parameter width: Threads; 0 means one per core that is online, a negative number traps.
    public init(width: Int = 0) {
        precondition(width >= 0, "a queue has a width of 0 (one per core) or more")
        self.width = width > 0 ? width : DecodeThread.coreCount
        for _ in 0..<self.width { DecodeThread.start(working: jobs) }
    }

    deinit { jobs.close(threads: width) }

    /// Jobs that wait for a thread now.
    public var waitingCount: Int { jobs.waitingCount }

    /// Decodes off the caller's thread.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - contentType: What the sender declared; nil for nothing.
    ///   - decoder: Options, limits and remembered colour transforms; share one between calls.
    ///   - priority: The lane to wait in.
    /// - Throws: What the decoder throws; `cancelled` when the awaiting task was
    ///   cancelled before the decode was done.
    public func decode(
        _ bytes: [UInt8], as contentType: ContentType? = nil, with decoder: ImageDecoder = ImageDecoder(),
        priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        try await run(priority: priority) { (flag) throws(DecodeError) in
            try decoder.decode(bytes, as: contentType, cancellation: flag)
        }
    }

    /// Runs `work` on one of the queue's threads.
    ///
    /// - Parameters:
    ///   - priority: The lane to wait in.
    ///   - work: Gets the flag that cancelling raises; hand it to the decoder.
    /// - Throws: What `work` throws, or `cancelled` when it never started.
    public func run<Result: Sendable>(
        priority: Priority = .normal, _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        let flag = CancellationFlag()
        let ticket = jobs.ticket(flag: flag)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Swift.Result<Result, DecodeError>, Never>) in
                jobs.enqueue(ticket, priority: priority) { start in
                    switch start {
                    case .cancelled:
                        continuation.resume(returning: .failure(DecodeError(.cancelled, "cancelled while waiting")))
                    case .now:
                        continuation.resume(returning: Swift.Result { () throws(DecodeError) in try work(flag) })
                    }
                }
            }
        } onCancel: {
            jobs.cancel(ticket)
        }
        return try outcome.get()
    }
}
