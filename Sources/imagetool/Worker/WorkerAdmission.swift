import Dispatch
import PlatformImage
import Synchronization

/// Limits how many requests are read and not answered, and the bytes of these requests, of their inputs and of their
/// results.
///
/// The oldest request that is not answered always proceeds, whatever its bytes, so that the others do not wait for
/// ever.
final class WorkerAdmission: Sendable {
    private struct State {
        var requestCount = 0
        var byteCount = 0
        var isWaiting = false
        /// Sequence number of the oldest request that is not answered, or of the next one.
        var oldest = 0
        /// Later requests that are answered.
        var answered: Set<Int> = []
        /// Requests that wait for their start.
        var starting: [Int: CheckedContinuation<Void, Never>] = [:]

        func mayStart(_ sequence: Int, _ maxBytes: Int) -> Bool { sequence == oldest || byteCount < maxBytes }
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

    /// Counts a request with its bytes. Requests begin in the order of their sequence numbers, from 0.
    func begin(byteCount: Int) {
        state.locked(in: self) { state in
            state.requestCount += 1
            state.byteCount += byteCount
        }
    }

    /// True when the work on a request may start: it is the oldest that is not answered, or the bytes of all requests
    /// are below the limit. A result that cannot be written yet counts, so that results do not accumulate behind a slow
    /// request.
    func mayStart(_ sequence: Int) -> Bool { state.locked(in: self) { $0.mayStart(sequence, maxBytes) } }

    /// Waits until ``mayStart(_:)`` is true.
    func waitForStart(_ sequence: Int) async {
        await withCheckedContinuation { continuation in
            let mayStart = state.locked(in: self) { state in
                if state.mayStart(sequence, maxBytes) { return true }
                state.starting[sequence] = continuation
                return false
            }
            if mayStart { continuation.resume() }
        }
    }

    /// Adds the bytes of a loaded body to those of a request.
    func add(byteCount: Int) { state.locked(in: self) { $0.byteCount += byteCount } }

    /// Replaces the bytes of a request by those of its result.
    func replace(_ byteCount: Int, by resultBytes: Int) { change { $0.byteCount += resultBytes - byteCount } }

    /// Ends a request with all of its bytes.
    func end(_ sequence: Int, byteCount: Int) {
        change { state in
            state.requestCount -= 1
            state.byteCount -= byteCount
            state.answered.insert(sequence)
            while state.answered.remove(state.oldest) != nil { state.oldest += 1 }
        }
    }

    /// Changes the counts and resumes what now may proceed.
    private func change(_ body: (inout State) -> Void) {
        let (wakes, started) = state.locked(in: self) { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            body(&state)
            let wakes = state.isWaiting
            state.isWaiting = false
            var started: [CheckedContinuation<Void, Never>] = []
            if !state.starting.isEmpty {
                let sequences = state.byteCount < maxBytes ? Array(state.starting.keys).sorted() : [state.oldest]
                for sequence in sequences {
                    if let continuation = state.starting.removeValue(forKey: sequence) { started.append(continuation) }
                }
            }
            return (wakes, started)
        }
        if wakes { change.signal() }
        for continuation in started { continuation.resume() }
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
