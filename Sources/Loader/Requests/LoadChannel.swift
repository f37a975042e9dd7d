#if Loader
internal import PlatformImage
internal import Synchronization

/// Elements on their way to one reader, in order; superseded progress is left out, so that a slow reader costs nothing.
final class LoadChannel<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [(element: Element, isProgress: Bool)] = []
        /// Whoever takes it out resumes it.
        var reader: CheckedContinuation<Element?, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Hands an element to the reader or keeps it until it comes; nothing happens once the channel is closed.
    ///
    /// - Parameter isProgress: Replaces the last waiting element, if that is progress too.
    func send(_ element: Element, isProgress: Bool = false) { put(element, isProgress: isProgress)?.resume() }

    /// Puts an element in its place, for a caller that holds a lock: the reader is resumed after that is released.
    ///
    /// A task that is being cancelled holds a lock of the runtime while its handler waits for one of ours, and whoever
    /// resumes it waits for the runtime's.
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

    /// A reader that is to get an element.
    struct Wake: Sendable {
        fileprivate let reader: CheckedContinuation<Element?, Never>
        fileprivate let element: Element

        /// To be called once.
        func resume() { reader.resume(returning: element) }
    }

    /// Ends the channel after what waits in it.
    func close() {
        let reader = state.locked(in: self) { state in
            state.isClosed = true
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume(returning: nil)
    }

    /// The next element; nil when the channel is closed and empty. One reader at a time.
    func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let ready: Element?? = state.locked(in: self) { state in
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst().element) }
                if state.isClosed { return .some(nil) }
                precondition(state.reader == nil, "a channel has one reader")
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
#endif
