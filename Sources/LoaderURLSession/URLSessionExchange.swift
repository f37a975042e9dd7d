import Foundation
import PlatformImage
import PlatformImageLoader
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its response: connects the session's delegate queue with a task that pulls the body.
///
/// All state is protected by one lock. A continuation is removed under the lock and resumed after the lock
/// is released.
final class URLSessionExchange: Sendable {
    private struct State {
        var head: ResponseHead?
        var headWaiter: CheckedContinuation<ResponseHead, any Error>?
        var bodyWaiter: CheckedContinuation<[UInt8]?, any Error>?
        var unread: [UInt8] = []
        var end: Result<Void, LoadError>?
        var timer: Task<Void, Never>?
    }

    /// Actions that remain when an exchange ends; performed without the lock.
    private struct PendingActions {
        let headWaiter: CheckedContinuation<ResponseHead, any Error>?
        let bodyWaiter: CheckedContinuation<[UInt8]?, any Error>?
        let timer: Task<Void, Never>?
    }

    private enum Ready {
        case chunk([UInt8])
        case end
    }

    private let state = Mutex(State())
    private let task: URLSessionTask
    private let maxUnreadBytes: Int

    init(_ task: URLSessionTask, maxUnreadBytes: Int) {
        self.task = task
        self.maxUnreadBytes = maxUnreadBytes
    }

    /// Sends the request and returns the final head. Must be called only once.
    func run(total: Duration?) async throws -> ResponseHead {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isEnded = state.locked(in: self) { state in
                    if state.end == nil { state.headWaiter = continuation }
                    return state.end != nil
                }
                if isEnded { return continuation.resume(throwing: LoadError.cancelled()) }
                if let total { schedule(total) }
                task.resume()
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns all bytes received since the last call, at least one; nil at the end.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready: Result<Ready, LoadError>? = state.locked(in: self) { state in
                    if !state.unread.isEmpty {
                        var chunk: [UInt8] = []
                        swap(&chunk, &state.unread)
                        return .success(.chunk(chunk))
                    }
                    if let end = state.end { return end.map { .end } }
                    state.bodyWaiter = continuation
                    return nil
                }
                switch ready {
                case .success(.chunk(let chunk)): continuation.resume(returning: chunk)
                case .success(.end): continuation.resume(returning: nil)
                case .failure(let error): continuation.resume(throwing: error)
                case nil: break
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
            if state.end != nil { state.end = .failure(.cancelled()) }
        }
        end(.failure(.cancelled()))
    }

    private func schedule(_ total: Duration) {
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: total)) != nil else { return }
            self?.end(.failure(.transport("total timeout exceeded", isTimeout: true)))
        }
        let isEnded = state.locked(in: self) { state in
            if state.end == nil { state.timer = timer }
            return state.end != nil
        }
        if isEnded { timer.cancel() }
    }
}

// Delegate callbacks, called serially.
extension URLSessionExchange {
    func receive(_ head: ResponseHead) {
        let waiter = state.locked(in: self) { state -> CheckedContinuation<ResponseHead, any Error>? in
            guard state.end == nil else { return nil }
            state.head = head
            return state.headWaiter.take()
        }
        waiter?.resume(returning: head)
    }

    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let (waiter, isTooMuch) = state.locked(in: self) { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let waiter = state.bodyWaiter.take() { return (waiter, false) }
            guard data.count <= maxUnreadBytes - state.unread.count else { return (nil, true) }
            state.unread += data
            return (nil, false)
        }
        waiter?.resume(returning: Array(data))
        if isTooMuch {
            end(.failure(.bodyTooLarge("more than \(maxUnreadBytes) bytes of the body are unread (maxUnreadBytes)")))
        }
    }

    /// Ends the exchange successfully if the head was received.
    func endIfHeadReceived() {
        guard state.locked(in: self, { $0.head != nil }) else { return }
        end(.success(()))
    }

    func end(_ result: Result<Void, LoadError>) {
        let pending = state.locked(in: self) { state -> PendingActions? in
            guard state.end == nil else { return nil }
            state.end = result
            return PendingActions(
                headWaiter: state.headWaiter.take(), bodyWaiter: state.bodyWaiter.take(), timer: state.timer.take())
        }
        guard let pending else { return }
        pending.timer?.cancel()
        switch result {
        case .success:
            pending.headWaiter?.resume(throwing: LoadError.transport("the server sent no HTTP response"))
            pending.bodyWaiter?.resume(returning: nil)
        case .failure(let error):
            pending.headWaiter?.resume(throwing: error)
            pending.bodyWaiter?.resume(throwing: error)
            task.cancel()
        }
    }
}
