internal import PlatformImage
internal import Synchronization

/// The requests of a prefetch, of which a limited number runs at a time.
///
/// Its running loads retain this object: when the application releases the ``Prefetch``, the loads are cancelled, and
/// this object exists until they have ended.
final class PrefetchWork: Sendable {
    private struct Running {
        let handle: JobHandle
        let priority: PriorityCell
    }

    private struct State {
        var next = 0
        var running: [Int: Running] = [:]
        var isPaused = false
        var isCancelled = false
        var priority: LoadPriority
        var counts = Prefetch.Counts()
        /// Continuations of waiters; the code that removes one resumes it.
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
        /// Waiters that were cancelled before their continuation existed.
        var cancelledBeforeWaiting: Set<UInt64> = []
    }

    private enum LoadStatus {
        case done
        case skipped
        case failed
        case cancelled
    }

    private let requests: [ImageRequest]
    private let destination: Prefetch.Destination
    private let loader: ImageLoader
    private let state: Mutex<State>

    init(
        _ requests: [ImageRequest], to destination: Prefetch.Destination, _ priority: LoadPriority,
        by loader: ImageLoader
    ) {
        var seen: Set<ImageRequest> = []
        self.requests = requests.filter { seen.insert($0).inserted }
        self.destination = destination
        self.loader = loader
        var state = State(priority: priority)
        state.counts.total = requests.count
        state.counts.skipped = requests.count - self.requests.count
        self.state = Mutex(state)
    }

    var counts: Prefetch.Counts { state.locked(in: self) { $0.counts } }
    var priority: LoadPriority { state.locked(in: self) { $0.priority } }

    func setPriority(_ priority: LoadPriority) {
        let cells = state.locked(in: self) { state in
            state.priority = priority
            return state.running.values.map(\.priority)
        }
        for cell in cells { cell.set(priority) }
        advance()
    }

    func setPaused(_ isPaused: Bool) {
        state.locked(in: self) { $0.isPaused = isPaused }
        advance()
    }

    func cancel() {
        let handles = state.locked(in: self) { state in
            state.isCancelled = true
            return state.running.values.map(\.handle)
        }
        for handle in handles { handle.cancel() }
        resumeWaitersIfEnded()
    }

    /// Starts loads up to the maximum number of concurrent fetches of the current priority.
    func advance() {
        let configuration = loader.configuration
        while true {
            let next: (number: Int, running: Running)? = state.locked(in: self) { state in
                let width = state.priority.usesUrgentLane ? configuration.urgentWidth : configuration.slowWidth
                guard !state.isPaused, !state.isCancelled, state.next < requests.count, state.running.count < width
                else { return nil }
                let running = Running(handle: JobHandle(), priority: PriorityCell(state.priority))
                state.running[state.next] = running
                state.next += 1
                return (state.next - 1, running)
            }
            guard let next else { break }
            next.running.handle.setTask(
                Task {
                    let status = await self.load(self.requests[next.number], next.running.priority)
                    self.finish(status, of: next.number)
                })
        }
        resumeWaitersIfEnded()
    }

    private func load(_ request: ImageRequest, _ priority: PriorityCell) async -> LoadStatus {
        do throws(LoadError) {
            return try await loader.beginImage().prefetch(request, to: destination, priority) ? .done : .skipped
        } catch {
            return error.code == .cancelled ? .cancelled : .failed
        }
    }

    private func finish(_ status: LoadStatus, of number: Int) {
        state.locked(in: self) { state in
            state.running[number] = nil
            switch status {
            case .done: state.counts.done += 1
            case .skipped: state.counts.skipped += 1
            case .failed: state.counts.failed += 1
            case .cancelled: break
            }
        }
        advance()
    }

    /// Resumes the waiters when no work is left.
    private func resumeWaitersIfEnded() {
        let waiters = state.locked(in: self) { state in
            guard hasEnded(state) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    private func hasEnded(_ state: State) -> Bool {
        state.running.isEmpty && (state.isCancelled || state.next == requests.count)
    }

    /// Returns when no work is left, or as soon as the calling task is cancelled.
    func waitUntilFinished() async {
        let number = state.locked(in: self) { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.locked(in: self) { state in
                    guard state.cancelledBeforeWaiting.remove(number) == nil, !hasEnded(state) else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
            state.locked(in: self) { _ = $0.cancelledBeforeWaiting.remove(number) }
        } onCancel: {
            let waiter = state.locked(in: self) { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.cancelledBeforeWaiting.insert(number) }
                return waiter
            }
            waiter?.resume()
        }
    }
}

/// A weak reference to the work of a prefetch.
struct WeakPrefetchWork {
    weak var work: PrefetchWork?
}
