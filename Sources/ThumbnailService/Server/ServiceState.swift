import Synchronization

/// Lifecycle state of the service: ready, draining (readiness checks fail, requests are served), rejecting requests.
final class ServiceState: Sendable {
    private let draining = Atomic(false)
    private let rejecting = Atomic(false)

    /// False after a graceful shutdown was requested.
    var isReady: Bool { !draining.load(ordering: .acquiring) }

    /// False at the end of `drain.delay`, before the listener closes; requests then get 503.
    var acceptsRequests: Bool { !rejecting.load(ordering: .acquiring) }

    func beginDraining() { draining.store(true, ordering: .releasing) }

    func rejectRequests() { rejecting.store(true, ordering: .releasing) }
}

extension ServiceResponse {
    /// Returns the response to a health check; nil for another target.
    ///
    /// - Parameter isReady: When false, the response to a readiness check has status 503; liveness checks still get
    ///   200.
    static func health(_ target: String, isReady: Bool) -> Self? {
        guard target.hasPrefix("/health") else { return nil }
        var response: Self
        switch target {
        case "/health/live", "/healthcheck": response = plain(200, "live\n")
        case "/health/ready": response = isReady ? plain(200, "ready\n") : plain(503, "draining\n")
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
