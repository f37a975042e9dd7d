import Synchronization

/// The body of a request, which the task of the request reads.
///
/// The server holds at most about 128 KiB that were not read; it reads no more from the connection until then.
package final class RequestBody: Sendable {
    /// The reason why a body cannot be read to its end.
    package enum Failure: Error, Hashable, Sendable {
        /// The client has left, was too slow, or the server was stopped.
        case disconnected
        /// The body does not follow the rules of its framing; the client gets 400.
        case malformed
        /// The task that reads was cancelled.
        case cancelled
    }

    private enum Result: Sendable {
        case bytes([UInt8])
        case end
        case failure(Failure)
        case wait
    }

    private struct State: Sendable {
        var chunks: [[UInt8]] = []
        var first = 0
        var byteCount = 0
        var isComplete = false
        var failure: Failure?
        var isWanted = false
        var isPaused = false
        var waiter: CheckedContinuation<Void, Never>?

        var canContinue: Bool { first < chunks.count || isComplete || failure != nil }

        /// Removes the next bytes; true if the server should be asked for more.
        mutating func take() -> (Result, Bool) {
            let isFirst = !isWanted
            isWanted = true
            if let failure { return (.failure(failure), false) }
            guard first < chunks.count else { return isComplete ? (.end, false) : (.wait, isFirst) }
            let bytes = chunks[first]
            chunks[first] = []
            first += 1
            byteCount -= bytes.count
            if first == chunks.count { (chunks, first) = ([], 0) }
            let resumes = isPaused && byteCount < RequestBody.maxBufferedBytes / 2
            if resumes { isPaused = false }
            return (.bytes(bytes), resumes || (isFirst && !isComplete))
        }
    }

    /// Bytes that are not read at which the server stops reading from the connection.
    static let maxBufferedBytes = 65_536

    private let state = Mutex(State())
    private let requestBytes: @Sendable () -> Void

    /// - Parameter requestBytes: Called when the task begins to read, and when the server should read again.
    init(requestBytes: @escaping @Sendable () -> Void) { self.requestBytes = requestBytes }

    /// Reads the next bytes of the body.
    ///
    /// - Returns: At least one byte; nil at the end of the body.
    package func next() async throws(Failure) -> [UInt8]? {
        while true {
            let (result, isRequested) = state.locked(in: self) { $0.take() }
            if isRequested { requestBytes() }
            switch result {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .failure(let failure): throw failure
            case .wait:
                if Task.isCancelled { throw .cancelled }
                await wait()
            }
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resumes = state.locked(in: self) { state in
                    if state.canContinue || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if resumes { continuation.resume() }
            }
        } onCancel: {
            resumeWaiter { _ in }
        }
    }

    private func resumeWaiter(_ change: (inout State) -> Void) {
        let waiter = state.locked(in: self) { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    // MARK: - The connection's side

    /// Adds bytes.
    ///
    /// - Returns: False when the server should read no more until it is asked to.
    func deliver(_ bytes: [UInt8]) -> Bool {
        var isPaused = false
        resumeWaiter { state in
            state.chunks.append(bytes)
            state.byteCount += bytes.count
            state.isPaused = state.byteCount >= Self.maxBufferedBytes
            isPaused = state.isPaused
        }
        return !isPaused
    }

    /// Ends the body.
    func finish() { resumeWaiter { $0.isComplete = true } }

    /// Ends the body with a failure, unless it is complete.
    func fail(_ failure: Failure) { resumeWaiter { if !$0.isComplete, $0.failure == nil { $0.failure = failure } } }
}
