#if Service
import HTTPTypes
import Synchronization

/// Lifecycle state of the service: accepting requests or draining.
final class ServiceState: Sendable {
    private let draining = Atomic(false)

    /// True after a graceful shutdown was requested.
    var isDraining: Bool { draining.load(ordering: .acquiring) }

    func beginDraining() { draining.store(true, ordering: .releasing) }
}

extension ServiceResponse {
    /// Returns the response to a health check; nil for another target.
    ///
    /// - Parameter isDraining: When true, the response to a readiness check has status 503; liveness checks still get
    ///   200.
    static func health(_ target: String, isDraining: Bool) -> Self? {
        var response: Self
        switch target {
        case "/health/live", "/healthcheck": response = plain(200, "live\n")
        case "/health/ready": response = isDraining ? plain(503, "draining\n") : plain(200, "ready\n")
        default: return nil
        }
        response.isHealth = true
        return response
    }

    /// Returns an uncacheable plain-text response.
    static func plain(_ status: Int, _ text: String) -> Self {
        Self(
            status: status, fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: Array(text.utf8))
    }
}
#endif
