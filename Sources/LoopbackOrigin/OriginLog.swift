internal import PlatformImage
import Synchronization

/// Records the requests and connections of an origin, and resumes tasks that wait for a number of them.
final class OriginLog: Sendable {
    struct Counts {
        var requests = 0
        var accepted = 0
        var closed = 0
        var bodyBytesWritten = 0
    }

    private struct State {
        var counts = Counts()
        var requests: [OriginRequest] = []
        var waiters: [Int: (condition: @Sendable (Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    var counts: Counts { state.locked(in: self) { $0.counts } }
    var requests: [OriginRequest] { state.locked(in: self) { $0.requests } }

    /// Records a new connection and returns its number.
    func accepted() -> Int {
        change { state in
            defer { state.counts.accepted += 1 }
            return state.counts.accepted
        }
    }

    func closed() { change { $0.counts.closed += 1 } }

    /// Records a request and returns it with its number.
    func record(_ request: OriginRequest) -> OriginRequest {
        change { state in
            var request = request
            request.number = state.counts.requests
            state.counts.requests += 1
            state.requests.append(request)
            return request
        }
    }

    func wrote(_ bytes: Int) { change { $0.counts.bodyBytesWritten += bytes } }

    /// Waits until the condition holds or the task is cancelled.
    func wait(until condition: @escaping @Sendable (Counts) -> Bool) async {
        let number = state.locked(in: self) { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSatisfied = state.locked(in: self) { state in
                    if condition(state.counts) || Task.isCancelled { return true }
                    state.waiters[number] = (condition, continuation)
                    return false
                }
                if isSatisfied { continuation.resume() }
            }
        } onCancel: {
            state.locked(in: self) { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    private func change<T: Sendable>(_ body: (inout State) -> T) -> T {
        let (result, due) = state.locked(in: self) { state in
            let result = body(&state)
            if state.waiters.isEmpty { return (result, [CheckedContinuation<Void, Never>]()) }
            let due = state.waiters.filter { $0.value.condition(state.counts) }
            for number in due.keys { state.waiters[number] = nil }
            return (result, due.values.map(\.continuation))
        }
        for continuation in due { continuation.resume() }
        return result
    }
}
