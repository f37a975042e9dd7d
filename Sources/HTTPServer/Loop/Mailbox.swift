import Synchronization

/// Messages of other threads and of tasks to a loop.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Wakes the loop that reads the messages.
    let waker: LoopWaker

    init(_ waker: LoopWaker) { self.waker = waker }

    /// Adds a message and wakes the loop.
    ///
    /// - Returns: False when the loop has ended; the message is discarded.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let isPosted = state.locked(in: self) { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return true
        }
        if isPosted { waker.wake() }
        return isPosted
    }

    var isEmpty: Bool { state.locked(in: self) { $0.messages.isEmpty } }

    /// Removes and returns all messages.
    func take() -> [Message] {
        state.locked(in: self) { state in
            if state.messages.isEmpty { return [] }
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Refuses further messages, and returns those that were not taken.
    func close() -> [Message] {
        state.locked(in: self) { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
