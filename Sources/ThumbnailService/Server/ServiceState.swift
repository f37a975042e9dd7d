#if Service
import Synchronization

/// Whether the service takes new work.
final class ServiceState: Sendable {
    private let draining = Atomic(false)

    /// True once the service was told to stop.
    var isDraining: Bool { draining.load(ordering: .acquiring) }

    func beginDraining() { draining.store(true, ordering: .releasing) }
}
#endif
