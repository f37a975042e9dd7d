// A server for Scripts/bench/http-server and Scripts/verify/http-server.
//
//     PlatformImageHTTPServerProbe hit [LOOPS]     a fixed body of 2,848 bytes with ten fields, answered on the loop
//     PlatformImageHTTPServerProbe task [LOOPS]    the same, answered by a task on the loop
//     PlatformImageHTTPServerProbe wait [LOOPS]    a task answers when its client leaves; /at-once is answered at once
//     PlatformImageHTTPServerProbe heads           answers with the number of body bytes; for comparisons of parsers
//
// Prints the port, and runs until it is killed.

import PlatformImageHTTPServer

/// The response of an image service to a hit.
struct FixedResult: RequestHandler {
    let response: Response
    let usesTask: Bool

    init(usesTask: Bool) {
        self.usesTask = usesTask
        var fields = FieldBlock()
        fields.append(FieldName("Content-Type"), "image/jpeg")
        fields.append(FieldName("Cache-Control"), "public, max-age=86400")
        fields.append(FieldName("ETag"), "\"0123456789abcdef0123456789abcdef\"")
        fields.append(FieldName("Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT")
        fields.append(FieldName("X-Content-Type-Options"), "nosniff")
        fields.append(FieldName("Content-Security-Policy"), "default-src 'none'; sandbox")
        fields.append(FieldName("Accept-Ranges"), "none")
        response = Response(status: 200, fields: fields, body: .bytes([UInt8](repeating: 0x41, count: 2_848)))
    }

    func answer(to request: Request) -> Answer {
        // What a service reads from every request.
        let hasTarget = !request.head.target.isEmpty
        let isConditional = request.head[FieldName("If-None-Match")] != nil
        guard hasTarget, !isConditional else { return .response(Response(status: 304)) }
        guard usesTask else { return .response(response) }
        return .task { [response] _ in response }
    }
}

/// Answers no request before its client leaves.
struct WaitingHandler: RequestHandler {
    func answer(to request: Request) -> Answer {
        if request.head.target == "/at-once" { return .response(Response(status: 200, text: "ok")) }
        return .task { _ in
            let (stream, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            return Response(status: 200, text: "late")
        }
    }
}

/// Reads the body of a request and answers with the number of its bytes.
struct BodyCounter: RequestHandler {
    func answer(to request: Request) -> Answer {
        guard request.head.framing != .none else { return .response(Response(status: 200, text: "0")) }
        return .task { exchange in
            var count = 0
            while let bytes = try? await exchange.body.next() { count += bytes.count }
            return Response(status: 200, text: "\(count)")
        }
    }

    /// Names the rule of Docs/http-server.md.
    func response(to rejected: RejectedRequest) -> Response {
        var response = Response(status: rejected.reason.status, text: rejected.reason.message)
        response.fields.append(FieldName("X-Rule"), rejected.reason.rule.rawValue)
        return response
    }
}

@main struct Probe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let mode = arguments.count > 1 ? arguments[1] : "hit"
        var configuration = ServerConfiguration(listeners: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.loops = arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1
        configuration.connections.maxConnections = 20_000
        configuration.time.idle = .seconds(3_600)
        configuration.time.head = .seconds(3_600)
        configuration.serverName = "probe"
        let handler: any RequestHandler =
            switch mode {
            case "heads": BodyCounter()
            case "wait": WaitingHandler()
            default: FixedResult(usesTask: mode == "task")
            }
        let server = try await HTTPServer.start(configuration, handler: handler)
        print(server.ports[0])
        flushOutput()
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}
