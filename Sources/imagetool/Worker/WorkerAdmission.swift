import Dispatch
import PlatformImage
import Synchronization

/// Limits how many requests are read and not answered, and the bytes of their inputs and results.
final class WorkerAdmission: Sendable {
    private struct State {
        var requestCount = 0
        var byteCount = 0
        var isWaiting = false
    }

    private let maxRequests: Int
    private let maxBytes: Int
    private let state = Mutex(State())
    private let change = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - maxRequests: 1 or more.
    ///   - maxBytes: One request is admitted also when it has more bytes.
    init(maxRequests: Int, maxBytes: Int) {
        self.maxRequests = maxRequests
        self.maxBytes = maxBytes
    }

    /// Waits until another request may be read. Calls from different threads must not overlap.
    func waitForRequest() { wait { $0.requestCount < maxRequests && $0.byteCount < maxBytes } }

    /// Waits until no other request is left or `count` further bytes are within the limit.
    func waitForBytes(_ count: Int) { wait { $0.requestCount == 0 || count <= maxBytes - $0.byteCount } }

    /// Waits until all requests are answered.
    func waitUntilIdle() { wait { $0.requestCount == 0 } }

    /// Counts a request with its bytes.
    func begin(byteCount: Int) {
        state.locked(in: self) { state in
            state.requestCount += 1
            state.byteCount += byteCount
        }
    }

    /// Adds the bytes of a result to those of a request.
    func add(byteCount: Int) { state.locked(in: self) { $0.byteCount += byteCount } }

    /// Ends a request with all of its bytes.
    func end(byteCount: Int) {
        let wakes = state.locked(in: self) { state in
            state.requestCount -= 1
            state.byteCount -= byteCount
            let wakes = state.isWaiting
            state.isWaiting = false
            return wakes
        }
        if wakes { change.signal() }
    }

    private func wait(until condition: (borrowing State) -> Bool) {
        while true {
            let isMet = state.locked(in: self) { state in
                if condition(state) { return true }
                state.isWaiting = true
                return false
            }
            if isMet { return }
            change.wait()
        }
    }
}
