internal import PlatformImage
internal import Synchronization

/// Handle of a load that was started with callbacks.
///
/// Releasing it has no effect: the load continues until it ends or is cancelled.
public final class ImageTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var didSendRequest = false
    }

    private let state = Mutex(State())

    private let cell: PriorityCell

    init(_ cell: PriorityCell) { self.cell = cell }

    /// Current priority of the load. A shared download has the highest priority of the loads that wait for it. A change
    /// of the priority does not restart the download.
    public var priority: LoadPriority { cell.priority }

    /// Changes ``priority``; may be called at any time.
    public func setPriority(_ priority: LoadPriority) { cell.set(priority) }

    /// True once a request was sent to the origin, by this load or by the download that it shares.
    public var didSendRequest: Bool { state.locked(in: self) { $0.didSendRequest } }

    /// Cancels the load: it ends with the code `cancelled`, unless it has already ended. Events from before the call
    /// are still delivered, in order.
    public func cancel() {
        let task = state.locked(in: self) { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Returns after the last callback has returned.
    public func waitUntilFinished() async {
        let task = state.locked(in: self) { $0.task }
        await task?.value
    }

    func setTask(_ task: Task<Void, Never>) {
        let isCancelled = state.locked(in: self) { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func record(_ event: LoadEvent) {
        if case .sendingRequest = event { state.locked(in: self) { $0.didSendRequest = true } }
    }
}
