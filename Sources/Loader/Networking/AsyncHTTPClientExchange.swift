#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
internal import PlatformImage
import Synchronization

/// One request and its response: connects AsyncHTTPClient's callbacks on an event loop with a task that pulls the body.
///
/// All state is protected by one lock. A continuation is removed under the lock and resumed after its release.
final class AsyncHTTPClientExchange: HTTPClientResponseDelegate {
    typealias Response = Void

    /// Bytes of a chunk that are collected before the reader is resumed. Reading from the connection pauses when as
    /// many bytes are unread (backpressure).
    static let chunkBytes = 1 << 20
    /// Maximum time for which received bytes wait for more bytes of their chunk.
    private static let collectionTime = TimeAmount.milliseconds(1)

    private struct State {
        var task: HTTPClient.Task<Void>?
        var headWaiter: CheckedContinuation<HTTPResponseHead, any Error>?
        var bodyWaiter: CheckedContinuation<[UInt8]?, any Error>?
        var unread: [UInt8] = []
        /// True when the reader gets the unread bytes before the chunk is complete.
        var isDue = false
        /// Content-Length minus the bytes received; nil when unknown or above `UInt32.max`. Only a hint for memory.
        var remainingLength: Int?
        /// Sets ``isDue``; nil when no bytes are collected.
        var collectionTimer: Scheduled<Void>?
        /// Set while too many bytes are unread; AsyncHTTPClient continues reading when the promise succeeds.
        var readPromise: EventLoopPromise<Void>?
        var end: Result<Void, any Error>?
        var headCount = 0
        var isSent = false
        var timer: Scheduled<Void>?
        var hasTimer = false
        var lastProgress = NIODeadline.distantPast

        mutating func append(_ bytes: ByteBufferView) {
            if unread.isEmpty { unread.reserveCapacity(min(max(remainingLength ?? 0, bytes.count), chunkBytes)) }
            unread += bytes
            remainingLength? -= bytes.count
            if unread.count >= chunkBytes { isDue = true }
        }

        /// Removes the waiting reader and the unread bytes; nil without a reader.
        mutating func resumption() -> Resumption? {
            bodyWaiter.take().map { Resumption(reader: $0, chunk: takeChunk()) }
        }

        /// Removes and returns the unread bytes.
        mutating func takeChunk() -> [UInt8] {
            isDue = false
            var chunk: [UInt8] = []
            swap(&chunk, &unread)
            return chunk
        }
    }

    /// A waiting reader and its chunk.
    private struct Resumption {
        let reader: CheckedContinuation<[UInt8]?, any Error>
        let chunk: [UInt8]

        func resume() { reader.resume(returning: chunk) }
    }

    private enum Ready {
        case chunk([UInt8])
        case end
        case nothing
    }

    /// Actions that remain when an exchange ends; performed without the lock.
    private struct PendingActions {
        let headWaiter: CheckedContinuation<HTTPResponseHead, any Error>?
        let bodyWaiter: CheckedContinuation<[UInt8]?, any Error>?
        /// The last bytes for the reader.
        let chunk: [UInt8]
        let readPromise: EventLoopPromise<Void>?
        let timers: [Scheduled<Void>]
        let task: HTTPClient.Task<Void>?
    }

    private let state = Mutex(State())
    private let idle: TimeAmount?

    init(idle: TimeAmount?) { self.idle = idle }

    /// True once the request head was written to a connection.
    var isSent: Bool { state.locked(in: self) { $0.isSent } }

    /// Sends the request and returns the final response head. Must be called only once.
    func run(
        _ request: HTTPClient.Request, on client: HTTPClient, deadline: NIODeadline?
    ) async throws -> HTTPResponseHead {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.locked(in: self) { state in
                    if state.end == nil { state.headWaiter = continuation }
                    return state.end != nil
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                let task = client.execute(request: request, delegate: self, deadline: deadline)
                let isEnded = state.locked(in: self) { state in
                    if state.end == nil { state.task = task }
                    return state.end != nil
                }
                if isEnded { task.cancel() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Waits for a chunk of the body: ``chunkBytes`` or, ``collectionTime`` after the first byte, all bytes that have
    /// arrived. Returns all bytes received since the last call; nil at the end.
    func next() async throws -> [UInt8]? {
        switch try nextAvailable() {
        case .chunk(let chunk): return chunk
        case .end: return nil
        case .nothing: break
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch Result(catching: { try nextAvailable(orWait: continuation) }) {
                case .success(.chunk(let chunk)): continuation.resume(returning: chunk)
                case .success(.end): continuation.resume(returning: nil)
                case .success(.nothing): break
                case .failure(let error): continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange if it is still running, and discards unread bytes.
    func cancel() {
        state.locked(in: self) { state in
            guard !state.unread.isEmpty else { return }
            state.unread = []
            // The next read throws the cancellation, even if the response was complete.
            if state.end != nil { state.end = .failure(CancellationError()) }
        }
        end(.failure(CancellationError()))
    }

    /// Returns available data without waiting. If there is none, stores `waiter`, which is resumed later, and returns
    /// `nothing`.
    private func nextAvailable(orWait waiter: CheckedContinuation<[UInt8]?, any Error>? = nil) throws -> Ready {
        var chunk: [UInt8] = []
        let (readPromise, end, loop) = state.locked(in: self) {
            state -> (EventLoopPromise<Void>?, Result<Void, any Error>?, (any EventLoop)?) in
            if state.isDue || state.end != nil, !state.unread.isEmpty {
                chunk = state.takeChunk()
                return (state.readPromise.take(), nil, nil)
            }
            if let end = state.end { return (nil, end, nil) }
            guard let waiter else { return (nil, nil, nil) }
            state.bodyWaiter = waiter
            state.lastProgress = .now()
            guard idle != nil, !state.hasTimer, let task = state.task else { return (nil, nil, nil) }
            state.hasTimer = true
            return (nil, nil, task.eventLoop)
        }
        readPromise?.succeed(())
        if !chunk.isEmpty { return .chunk(chunk) }
        if let end {
            try end.get()
            return .end
        }
        if let loop, let idle { schedule(.now() + idle, on: loop) }
        return .nothing
    }

    private func end(_ result: Result<Void, any Error>) {
        let pending = state.locked(in: self) { state -> PendingActions? in
            guard state.end == nil else { return nil }
            state.end = result
            // Without a reader, the next call returns the unread bytes.
            let last = state.resumption()
            return PendingActions(
                headWaiter: state.headWaiter.take(), bodyWaiter: last?.reader, chunk: last?.chunk ?? [],
                readPromise: state.readPromise.take(),
                timers: [state.timer.take(), state.collectionTimer.take()].compactMap(\.self), task: state.task.take())
        }
        guard let pending else { return }
        for timer in pending.timers { timer.cancel() }
        switch result {
        case .success:
            pending.headWaiter?.resume(throwing: HTTPClientError.remoteConnectionClosed)
            pending.bodyWaiter?.resume(returning: pending.chunk.isEmpty ? nil : pending.chunk)
        case .failure(let error):
            pending.headWaiter?.resume(throwing: error)
            if pending.chunk.isEmpty {
                pending.bodyWaiter?.resume(throwing: error)
            } else {
                // The next call throws the error.
                pending.bodyWaiter?.resume(returning: pending.chunk)
            }
            pending.task?.cancel()
        }
        pending.readPromise?.succeed(())
    }
}

// AsyncHTTPClient's delegate callbacks, always on the event loop of the task.
extension AsyncHTTPClientExchange {
    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        let startsTimer = state.locked(in: self) { state in
            state.isSent = true
            state.lastProgress = .now()
            guard idle != nil, !state.hasTimer, state.end == nil else { return false }
            state.hasTimer = true
            return true
        }
        if startsTimer, let idle { schedule(.now() + idle, on: task.eventLoop) }
    }

    func didVisitURL(task: HTTPClient.Task<Void>, _ request: HTTPClient.Request, _ head: HTTPResponseHead) {
        state.locked(in: self) { $0.headCount += 1 }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let (waiter, headCount) = state.locked(in: self) { state in
            state.lastProgress = .now()
            state.remainingLength = head.headers.first(name: "Content-Length").flatMap { UInt32($0).map(Int.init) }
            return (state.headCount > 1 ? nil : state.headWaiter.take(), state.headCount)
        }
        if headCount > 1 {
            end(
                .failure(
                    LoadError.configuration(
                        "the injected HTTPClient follows redirects; disable them in its configuration")))
        }
        waiter?.resume(returning: head)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        guard buffer.readableBytes > 0 else { return task.eventLoop.makeSucceededVoidFuture() }
        let (resumption, readPromise, startsTimer) = state.locked(in: self) {
            state -> (Resumption?, EventLoopPromise<Void>?, Bool) in
            guard state.end == nil else { return (nil, nil, false) }
            state.lastProgress = .now()
            state.append(buffer.readableBytesView)
            guard state.isDue else { return (nil, nil, state.collectionTimer == nil) }
            if let resumption = state.resumption() { return (resumption, nil, false) }
            guard state.unread.count >= Self.chunkBytes else { return (nil, nil, false) }
            let readPromise = task.eventLoop.makePromise(of: Void.self)
            state.readPromise = readPromise
            return (nil, readPromise, false)
        }
        resumption?.resume()
        if startsTimer { startCollectionTimer(on: task.eventLoop) }
        return readPromise?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { end(.failure(error)) }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws { end(.success(())) }
}

// The timer of the chunk that is being collected.
extension AsyncHTTPClientExchange {
    private func startCollectionTimer(on loop: any EventLoop) {
        let timer = loop.scheduleTask(in: Self.collectionTime) { [weak self] in
            self?.endCollection()
            return
        }
        let isEnded = state.locked(in: self) { state in
            if state.end == nil { state.collectionTimer = timer }
            return state.end != nil
        }
        if isEnded { timer.cancel() }
    }

    private func endCollection() {
        let resumption = state.locked(in: self) { state -> Resumption? in
            state.collectionTimer = nil
            guard !state.unread.isEmpty else { return nil }
            state.isDue = true
            return state.resumption()
        }
        resumption?.resume()
    }
}

// The idle timer: at most one per exchange, rescheduled instead of cancelled when bytes have arrived.
extension AsyncHTTPClientExchange {
    private func schedule(_ deadline: NIODeadline, on loop: any EventLoop) {
        let timer = loop.scheduleTask(deadline: deadline) { [weak self] in
            self?.timerFired(on: loop)
            return
        }
        let isEnded = state.locked(in: self) { state in
            if state.end == nil { state.timer = timer }
            return state.end != nil
        }
        if isEnded { timer.cancel() }
    }

    private func timerFired(on loop: any EventLoop) {
        guard let idle else { return }
        let next = state.locked(in: self) { state -> NIODeadline? in
            // The server is not idle while the reader does not read; the reader's next call starts the timer again.
            guard state.end == nil, state.headWaiter != nil || state.bodyWaiter != nil else {
                state.hasTimer = false
                state.timer = nil
                return nil
            }
            return state.lastProgress + idle
        }
        guard let next else { return }
        if next <= .now() {
            end(
                .failure(
                    LoadError.transport(
                        "idle timeout exceeded: no byte for \(Double(idle.nanoseconds) / 1e9) s", isTimeout: true)))
        } else {
            schedule(next, on: loop)
        }
    }
}
#endif
