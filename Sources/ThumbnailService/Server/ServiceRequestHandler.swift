import PlatformImageHTTPServer

/// Connects the service to the HTTP server: requests that need neither disk, network nor a render are answered on the
/// loop where they were read, the others by a task on that loop.
struct ServiceRequestHandler: RequestHandler {
    let responder: ThumbnailResponder

    func answer(to request: Request) -> Answer {
        if let response = responder.readyResponse(to: request) { return .response(response) }
        switch responder.begin(ServiceRequest(request)) {
        case .response(let response): return .response(Response(response))
        case .work(let pending):
            return .task { [responder] exchange in
                Response(await responder.complete(pending) { try await exchange.body.next() })
            }
        }
    }

    func response(to rejected: RejectedRequest) -> Response { Response(responder.response(to: rejected)) }
}

extension Response {
    /// Converts a response of the service.
    init(_ response: ServiceResponse) {
        self.init(status: response.status, fields: response.fields.block, body: .bytes(response.body))
        closesConnection = response.closesConnection
    }
}
