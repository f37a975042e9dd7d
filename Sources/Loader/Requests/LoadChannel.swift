internal import PlatformImage
internal import Synchronization

/// An ordered queue of elements with one reader; a newer progress element replaces an unread one, so a slow reader does
/// not make the queue grow with progress.
final class LoadChannel<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [(element: Element, isProgress: Bool)] = []
        /// The suspended reader; the code that removes the continuation resumes it.
        var reader: CheckedContinuation<Element?, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Delivers an element to the waiting reader, or queues it; has no effect after ``close()``.
    ///
    /// - Parameter isProgress: True for a progress element, which replaces the last queued element if that is progress
    ///   too.
    func send(_ element: Element, isProgress: Bool = false) { put(element, isProgress: isProgress)?.resume() }

    /// Queues an element, or returns the waiting reader for the caller to resume after it has released its lock.
    ///
    /// Resuming a continuation waits for a lock of the Swift runtime. Task cancellation holds that runtime lock while
    /// its handler waits for a lock of this module, so resuming under a lock of this module can deadlock.
    func put(_ element: Element, isProgress: Bool = false) -> Wake? {
        let reader: CheckedContinuation<Element?, Never>? = state.locked(in: self) { state in
            guard !state.isClosed else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if isProgress, state.waiting.last?.isProgress == true { state.waiting.removeLast() }
            state.waiting.append((element, isProgress))
            return nil
        }
        return reader.map { Wake(reader: $0, element: element) }
    }

    /// A reader to resume, and the element for it.
    struct Wake: Sendable {
        fileprivate let reader: CheckedContinuation<Element?, Never>
        fileprivate let element: Element

        /// Resumes the reader; call it exactly once.
        func resume() { reader.resume(returning: element) }
    }

    /// Closes the channel; elements that are already queued are still delivered.
    func close() {
        let reader = state.locked(in: self) { state in
            state.isClosed = true
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume(returning: nil)
    }

    /// The next element; nil when the channel is closed and empty. Only one reader at a time.
    func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let ready: Element?? = state.locked(in: self) { state in
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst().element) }
                if state.isClosed { return .some(nil) }
                precondition(state.reader == nil, "the channel already has a reader")
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
