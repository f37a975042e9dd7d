import PlatformImageHTTPServer
import PlatformImageLoader

/// Serves metrics and health on the administration listener.
struct AdminHandler: RequestHandler {
    let engine: ThumbnailEngine
    let state: ServiceState
    /// Token that requests for metrics must contain (RFC 6750 §2.1); nil for none.
    let token: String?

    func answer(to request: Request) -> Answer {
        var response = serviceResponse(request.head)
        response.fields[.xContentTypeOptions] = "nosniff"
        return .response(Response(response))
    }

    private func serviceResponse(_ request: RequestHead) -> ServiceResponse {
        // Metrics collectors may add a query, which is ignored.
        let target = String(request.target.prefix { $0 != "?" })
        guard request.method == .get || request.method == .head else {
            var response = ServiceResponse.plain(405, "supported methods: GET, HEAD\n")
            response.fields[.allow] = "GET, HEAD"
            return response
        }
        if let health = ServiceResponse.health(target, isReady: state.isReady) { return health }
        guard target == "/metrics" else {
            return .plain(404, "not found; available targets: /metrics, /health/live, /health/ready\n")
        }
        guard isAuthorized(request) else {
            var response = ServiceResponse.plain(401, "the metrics require the token of server.adminToken\n")
            response.fields[.wwwAuthenticate] = "Bearer"
            return response
        }
        engine.updateGauges()
        var response = ServiceResponse(status: 200, body: Array(engine.metrics.registry.text.utf8))
        response.fields = [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"]
        return response
    }

    /// Returns true without a configured token, and for a request with this token.
    private func isAuthorized(_ request: RequestHead) -> Bool {
        guard let token else { return true }
        guard let value = request[.authorization], value.prefix(7).lowercased() == "bearer " else { return false }
        return isEqualInConstantTime(Array(value.dropFirst(7).utf8), Array(token.utf8))
    }
}

extension ServiceConfiguration.Server {
    /// True when other machines can reach the administration listener, as far as the text of its address shows.
    var isAdminPublic: Bool {
        guard adminPort != nil, adminHost.lowercased() != "localhost" else { return false }
        switch IPAddress(adminHost)?.unmapped {
        case .v4(let bits)?: return bits >> 24 != 127
        case .v6(let bits)?: return bits != 1
        case nil: return true
        }
    }
}
