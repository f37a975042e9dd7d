import NIOCore
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
        var connections: [Int: any Channel] = [:]
        var waiters: [Int: (condition: @Sendable (Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    var counts: Counts { state.withLock { $0.counts } }
    var requests: [OriginRequest] { state.withLock { $0.requests } }
    var connections: [any Channel] { state.withLock { Array($0.connections.values) } }

    /// Records a new connection and returns its number.
    func accept(_ channel: any Channel) -> Int {
        change { state in
            let number = state.counts.accepted
            state.counts.accepted += 1
            state.connections[number] = channel
            return number
        }
    }

    func closed(_ connection: Int) {
        change { state in
            state.counts.closed += 1
            state.connections[connection] = nil
        }
    }

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
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSatisfied = state.withLock { state in
                    if condition(state.counts) || Task.isCancelled { return true }
                    state.waiters[number] = (condition, continuation)
                    return false
                }
                if isSatisfied { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    private func change<T: Sendable>(_ body: (inout State) -> T) -> T {
        let (result, due) = state.withLock { state in
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
