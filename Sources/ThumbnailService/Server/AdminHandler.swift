import PlatformImageHTTPServer
import PlatformImageLoader

/// Serves metrics and health on the administration listener, which is always on the loopback interface.
struct AdminHandler: RequestHandler {
    static let host = "127.0.0.1"

    let engine: ThumbnailEngine
    let state: ServiceState

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
        engine.updateGauges()
        var response = ServiceResponse(status: 200, body: Array(engine.metrics.registry.text.utf8))
        response.fields = [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"]
        return response
    }
}
