internal import CPlatformImageCurl
internal import PlatformImage
internal import Synchronization

/// One request and its response: connects the transport's thread with a task that pulls the body.
///
/// All state is protected by one lock. A continuation is removed under the lock and resumed after its release.
final class CurlExchange: Sendable {
    /// Bytes of the body that may be unread. The transport's thread then stops reading from the connection
    /// (backpressure), until the reader has taken them.
    static let maxUnreadBytes = 262_144

    private struct State {
        var headWaiter: UnsafeContinuation<ReceivedHead, any Error>?
        var bodyWaiter: UnsafeContinuation<[UInt8]?, any Error>?
        var unread: [UInt8] = []
        /// True while the transport's thread does not read because of ``unread``.
        var isPaused = false
        var end: Result<Void, any Error>?
        /// The time of the clock `picu_now` when the reader began to wait for the body.
        var waitingSince: Int64 = 0

        /// Removes and returns the unread bytes.
        mutating func takeUnread() -> [UInt8] {
            var chunk: [UInt8] = []
            swap(&chunk, &unread)
            return chunk
        }
    }

    private enum Ready {
        case chunk([UInt8], continues: Bool)
        case end(Result<Void, any Error>)
        case nothing
    }

    let request: CurlRequest
    private let mailbox: CurlMailbox
    private let state = Mutex(State())
    /// The transfer that carries the exchange; used on the transport's thread only.
    nonisolated(unsafe) var transfer: CurlTransfer?

    init(_ request: CurlRequest, _ mailbox: CurlMailbox) {
        self.request = request
        self.mailbox = mailbox
    }

    /// Sends the request and returns the final response head. Must be called only once.
    func head() async throws -> ResponseHead {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let isCancelled = state.locked(in: self) { state in
                    if state.end == nil { state.headWaiter = continuation }
                    return state.end != nil
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                mailbox.post(.start(self))
            }
        } onCancel: {
            cancel()
        }.head
    }

    /// Waits for bytes of the body. Returns all bytes received since the last call; nil at the end.
    func next() async throws -> [UInt8]? {
        switch take() {
        case .chunk(let chunk, let continues):
            if continues { mailbox.post(.resume(self)) }
            return chunk
        case .end(let result):
            try result.get()
            return nil
        case .nothing: break
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                switch take(orWait: continuation) {
                case .chunk(let chunk, let continues):
                    if continues { mailbox.post(.resume(self)) }
                    continuation.resume(returning: chunk)
                case .end(let result): continuation.resume(with: result.map { nil })
                case .nothing: break
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange if it is still running, and discards unread bytes.
    func cancel() {
        let (headWaiter, bodyWaiter, isRunning) = state.locked(in: self) { state in
            let isRunning = state.end == nil
            // The next read throws the cancellation, even if the response was complete.
            if isRunning || !state.unread.isEmpty { state.end = .failure(CancellationError()) }
            state.unread = []
            return (state.headWaiter.take(), state.bodyWaiter.take(), isRunning)
        }
        guard isRunning else { return }
        mailbox.post(.cancel(self))
        headWaiter?.resume(throwing: CancellationError())
        bodyWaiter?.resume(throwing: CancellationError())
    }

    /// Returns available bytes without waiting. If there are none, stores `waiter`, which is resumed later, and returns
    /// `nothing`.
    private func take(orWait waiter: UnsafeContinuation<[UInt8]?, any Error>? = nil) -> Ready {
        state.locked(in: self) { state in
            if !state.unread.isEmpty {
                let isPaused = state.isPaused
                state.isPaused = false
                return .chunk(state.takeUnread(), continues: isPaused)
            }
            if let end = state.end { return .end(end) }
            if let waiter {
                state.bodyWaiter = waiter
                state.waitingSince = picu_now()
            }
            return .nothing
        }
    }
}

// Called on the transport's thread.
extension CurlExchange {
    /// True when the exchange has ended, for example because it was cancelled.
    var isEnded: Bool { state.locked(in: self) { $0.end != nil } }

    /// The time since which the reader waits, as far as the exchange knows; nil when no reader waits. The server is not
    /// idle while the reader does not read.
    var waitingSince: Int64? {
        state.locked(in: self) { $0.headWaiter != nil ? 0 : $0.bodyWaiter != nil ? $0.waitingSince : nil }
    }

    /// Delivers what was received, and the end of the exchange if it has ended.
    ///
    /// - Parameters:
    ///   - head: The final head, once; nil at other times.
    ///   - bytes: Bytes of the body; empty afterwards.
    /// - Returns: The tasks to resume, and true when the transport must stop reading, until a command to continue.
    func deliver(
        head: ReceivedHead?, bytes: inout [UInt8], end: Result<Void, any Error>?
    ) -> (resumption: Resumption, pauses: Bool) {
        let received = bytes
        bytes = []
        return state.locked(in: self) { state in
            var resumption = Resumption(head: head, end: end)
            guard state.end == nil else { return (resumption, false) }
            if state.unread.isEmpty { state.unread = received } else { state.unread += received }
            state.end = end
            if head != nil || end != nil { resumption.headWaiter = state.headWaiter.take() }
            if !state.unread.isEmpty || end != nil, let waiter = state.bodyWaiter.take() {
                resumption.bodyWaiter = waiter
                resumption.chunk = state.takeUnread()
            }
            state.isPaused = end == nil && state.unread.count >= Self.maxUnreadBytes
            return (resumption, state.isPaused)
        }
    }

    /// The waiting tasks and their results.
    struct Resumption {
        fileprivate let head: ReceivedHead?
        fileprivate let end: Result<Void, any Error>?
        fileprivate var headWaiter: UnsafeContinuation<ReceivedHead, any Error>?
        fileprivate var bodyWaiter: UnsafeContinuation<[UInt8]?, any Error>?
        fileprivate var chunk: [UInt8] = []

        fileprivate init(head: ReceivedHead?, end: Result<Void, any Error>?) { (self.head, self.end) = (head, end) }

        /// True if no task waits.
        var isEmpty: Bool { headWaiter == nil && bodyWaiter == nil }

        func resume() {
            if let head {
                headWaiter?.resume(returning: head)
            } else if case .failure(let error)? = end {
                headWaiter?.resume(throwing: error)
            }
            // After the last bytes, the next call returns the end or throws the error.
            if !chunk.isEmpty {
                bodyWaiter?.resume(returning: chunk)
            } else if let end {
                bodyWaiter?.resume(with: end.map { nil })
            }
        }
    }
}
