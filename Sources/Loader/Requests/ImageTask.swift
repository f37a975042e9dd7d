#if Loader
internal import PlatformImage
internal import Synchronization

/// A load that was started with callbacks.
///
/// Releasing it changes nothing: the load goes on until it ends or is cancelled.
public final class ImageTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var didSendRequest = false
    }

    private let state = Mutex(State())

    private let cell: PriorityCell

    init(_ cell: PriorityCell) { self.cell = cell }

    /// How soon the load is wanted. A shared download has the highest priority of those who wait for it; changing it
    /// restarts nothing.
    public var priority: LoadPriority { cell.priority }

    /// Changes ``priority``, at any time.
    public func setPriority(_ priority: LoadPriority) { cell.set(priority) }

    /// True once the origin has been asked, by this load or by one that it shares the request with.
    public var didSendRequest: Bool { state.locked(in: self) { $0.didSendRequest } }

    /// Gives the load up: it ends with the code `cancelled`, unless its end was on its way already. What had happened
    /// before is still told, in order.
    public func cancel() {
        let task = state.locked(in: self) { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Returns when the last callback has returned.
    public func end() async {
        let task = state.locked(in: self) { $0.task }
        await task?.value
    }

    func hold(_ task: Task<Void, Never>) {
        let isCancelled = state.locked(in: self) { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func note(_ event: LoadEvent) {
        if case .sendingRequest = event { state.locked(in: self) { $0.didSendRequest = true } }
    }
}
#endif
