#if Service
import HTTPTypes
import Synchronization

/// Whether the service takes new work.
final class ServiceState: Sendable {
    private let draining = Atomic(false)

    /// True once the service was told to stop.
    var isDraining: Bool { draining.load(ordering: .acquiring) }

    func beginDraining() { draining.store(true, ordering: .releasing) }
}

extension ServiceAnswer {
    /// The answer to whoever watches the process; nil for another target.
    ///
    /// - Parameter isDraining: Makes the service alive and not ready.
    static func health(_ target: String, isDraining: Bool) -> Self? {
        var answer: Self
        switch target {
        case "/health/live", "/healthcheck": answer = plain(200, "live\n")
        case "/health/ready": answer = isDraining ? plain(503, "draining\n") : plain(200, "ready\n")
        default: return nil
        }
        answer.isHealth = true
        return answer
    }

    /// A line of text that nobody keeps.
    static func plain(_ status: Int, _ text: String) -> Self {
        Self(
            status: status, fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: Array(text.utf8))
    }
}
#endif
