import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// Results of the demonstration: every target is requested twice.
struct DemoServiceTable {
    private struct Response {
        var status: Int
        var type: String
        /// Value of `X-Cache`, or the reason of an error; `-` when the response has neither.
        var source: String
        var body: [UInt8]
        var milliseconds: Double

        /// Size of the image in the body; `nil` when the body is not an image.
        var size: (width: Int, height: Int)? {
            guard let header = try? ImageDecoder().header(of: body) else { return nil }
            return (header.displayWidth, header.displayHeight)
        }
    }

    private let transport = CurlTransport()
    private var table = Table([
        ("request", .left), ("target", .left), ("status", .right), ("type", .left), ("size", .right), ("bytes", .right),
        ("1st response from", .left), ("ms", .right), ("2nd response from", .left), ("ms", .right),
    ])
    /// Deviations from the expected results, one sentence each; empty when there are none.
    private(set) var deviations: [String] = []

    var text: String { table.text }

    /// Requests a target twice and records both responses.
    ///
    /// - Parameter server: Base URL of the service, for example `http://127.0.0.1:8080`.
    mutating func add(_ request: DemoServiceRequest, from server: String) async throws {
        let first = try await fetch(server + request.target, accept: request.accept)
        let again = try await fetch(server + request.target, accept: request.accept)
        table.append([
            request.title, request.displayText, String(first.status), first.type, Self.text(first.size),
            String(first.body.count),
            first.source, fixed(first.milliseconds, digits: 1), again.source, fixed(again.milliseconds, digits: 1),
        ])
        if first.status != request.status || again.status != request.status {
            deviations.append(
                "\(request.title): status \(first.status), then \(again.status), expected \(request.status)")
        }
        if Self.text(first.size) != Self.text(request.size) {
            deviations.append("\(request.title): \(Self.text(first.size)) pixels, expected \(Self.text(request.size))")
        }
        if let type = request.type, first.type != type {
            deviations.append("\(request.title): \(first.type), expected \(type)")
        }
        if request.isCached, first.source != "render" || again.source != "memory" || first.body != again.body {
            deviations.append(
                "\(request.title): first response from \(first.source), second from \(again.source), "
                    + "expected render, then memory, with equal bodies")
        }
    }

    private static func text(_ size: (width: Int, height: Int)?) -> String {
        size.map { "\($0.width)x\($0.height)" } ?? "-"
    }

    private func fetch(_ url: String, accept: String?) async throws -> Response {
        let begin = ContinuousClock.now
        var timeouts = TransportTimeouts()
        timeouts.total = .seconds(30)
        var request = HTTPRequest(url: url)
        if let accept { request.fields.append("Accept", accept) }
        let response = try await transport.send(request, trust: TrustSettings(), timeouts: timeouts)
        var body: [UInt8] = []
        for try await chunk in response.body { body += chunk }
        let elapsed = ContinuousClock.now - begin
        func text(_ name: String) -> String {
            response.head.fields[name].map { String(decoding: $0, as: UTF8.self) } ?? "-"
        }
        return Response(
            status: response.head.status, type: String(text("Content-Type").prefix { $0 != ";" }),
            source: Self.reason(in: body) ?? text("X-Cache"), body: body, milliseconds: elapsed / .milliseconds(1))
    }

    /// Member `reason` of a JSON error body; `nil` for any other body.
    private static func reason(in body: [UInt8]) -> String? {
        guard body.count < 4_096, body.first == UInt8(ascii: "{") else { return nil }
        var reader = JSONReader(body)
        return (try? reader.document())?["reason"]?.string
    }
}
