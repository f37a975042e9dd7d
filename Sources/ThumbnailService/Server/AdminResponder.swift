#if Service
import HTTPTypes
import Hummingbird
import NIOCore

/// What the operator alone sees: metrics and health, on a listener of their own.
struct AdminResponder: HTTPResponder {
    typealias Context = ThumbnailResponder.Context

    let engine: ThumbnailEngine
    let state: ServiceState

    func respond(to request: Request, context: Context) async -> Response {
        let answer = answer(request)
        var fields = answer.fields
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentLength] = String(answer.body.count)
        return Response(
            status: .init(code: answer.status), headers: fields,
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    private func answer(_ request: Request) -> ServiceAnswer {
        // Who collects metrics may add a query of his own.
        guard request.head.authority != nil else { return .plain(400, HostFieldCheck.refusal.message + "\n") }
        let target = request.head.path.map { $0.prefix { $0 != "?" } } ?? ""
        guard request.method == .get || request.method == .head else {
            var answer = ServiceAnswer.plain(405, "GET and HEAD are what is understood\n")
            answer.fields[.allow] = "GET, HEAD"
            return answer
        }
        if let health = ServiceAnswer.health(String(target), isDraining: state.isDraining) { return health }
        guard target == "/metrics" else { return .plain(404, "there are /metrics, /health/live and /health/ready\n") }
        // A program that brought metrics of its own shows them itself.
        guard let registry = engine.metrics.factory as? PrometheusRegistry else {
            return .plain(404, "the metrics of this service are kept elsewhere\n")
        }
        engine.updateGauges()
        var answer = ServiceAnswer(status: 200, body: Array(registry.text.utf8))
        answer.fields = [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"]
        return answer
    }
}
#endif
