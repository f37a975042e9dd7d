import Dispatch
import Synchronization

extension DecodeQueue {
    /// Decodes on the queue's threads, in order and within the budget, and blocks the calling thread until the decode
    /// ends.
    ///
    /// Do not call it on a thread of a decode queue. The decode needs neither Swift's shared pool nor the main thread.
    ///
    /// - Throws: The errors of the asynchronous `decode`, except `cancelled`.
    package func decodeBlocking(
        _ bytes: [UInt8], with decoder: ImageDecoder, priority: Priority
    ) throws(DecodeError) -> DecodedImage {
        let decoder = decoder.bounded(by: budget)
        return try runBlocking(priority) { (flag) throws(DecodeError) in
            let work = try decoder.work(.decode, bytes.span, flag)
            return (work.byteCount, { () throws(DecodeError) in try work.images(bytes.span).first() })
        }
    }

    /// Makes a thumbnail as ``decodeBlocking(_:with:priority:)`` decodes.
    ///
    /// - Throws: The errors of the asynchronous `thumbnail`, except `cancelled`.
    package func thumbnailBlocking(
        of bytes: [UInt8], options: ThumbnailOptions, with decoder: ImageDecoder, priority: Priority
    ) throws(DecodeError) -> DecodedImage {
        let decoder = decoder.bounded(by: budget)
        return try runBlocking(priority) { (flag) throws(DecodeError) in
            let work = try decoder.work(.thumbnail(options), bytes.span, flag)
            return (work.byteCount, { () throws(DecodeError) in try work.images(bytes.span).first() })
        }
    }

    /// Runs work on a decoded image and blocks the calling thread until it ends.
    ///
    /// - Parameter byteCount: Bytes that `work` will allocate, 1 or more, reserved from the budget.
    package func runBlocking(
        _ priority: Priority, byteCount: Int,
        _ work: @escaping @Sendable (CancellationFlag) throws(DecodeError) -> DecodedImage
    ) throws(DecodeError) -> DecodedImage {
        try runBlocking(priority) { (flag) throws(DecodeError) in
            (byteCount, { () throws(DecodeError) in try work(flag) })
        }
    }

    /// Runs a decode and blocks the calling thread until it ends.
    ///
    /// - Parameter prepare: Returns the bytes to reserve from the budget, and the decode.
    private func runBlocking(
        _ priority: Priority,
        _ prepare:
            @escaping @Sendable (CancellationFlag) throws(DecodeError) -> (
                byteCount: Int, decode: @Sendable () throws(DecodeError) -> DecodedImage
            )
    ) throws(DecodeError) -> DecodedImage {
        let blockingResult = BlockingResult()
        let flag = CancellationFlag()
        jobs.enqueue(jobs.ticket(flag: flag), priority: priority) { start in
            if case .refused(let error) = start { return .done(blockingResult.finish(.failure(error))) }
            do throws(DecodeError) {
                let (byteCount, decode) = try prepare(flag)
                return .needs(byteCount) { start in
                    if case .refused(let error) = start { return .done(blockingResult.finish(.failure(error))) }
                    return .done(blockingResult.finish(Result { () throws(DecodeError) in try decode() }))
                }
            } catch {
                return .done(blockingResult.finish(.failure(error)))
            }
        }
        return try blockingResult.wait().get()
    }

    /// Reads a header on the queue's threads and checks the limits of the decoder's options, as a decode does; no
    /// pixels are decoded.
    ///
    /// - Throws: The errors of a decode before its first pixel; `cancelled` when the awaiting task was cancelled.
    package func checkHeader(
        of bytes: [UInt8], with decoder: ImageDecoder, priority: Priority
    ) async throws(DecodeError) {
        try await run(priority: priority) { (flag) throws(DecodeError) in
            _ = try decoder.work(.decode, bytes.span, flag)
        }
    }

    /// The result of a decode, with a semaphore for the blocked caller.
    private final class BlockingResult: Sendable {
        private let result = Mutex(
            Result<DecodedImage, DecodeError>.failure(DecodeError(.cancelled, "the decode has not run")))
        private let isDone = DispatchSemaphore(value: 0)

        func finish(_ result: Result<DecodedImage, DecodeError>) -> DecodeJobs.Delivery {
            self.result.locked(in: self) { $0 = result }
            return { [self] in isDone.signal() }
        }

        func wait() -> Result<DecodedImage, DecodeError> {
            isDone.wait()
            return result.locked(in: self) { $0 }
        }
    }
}
