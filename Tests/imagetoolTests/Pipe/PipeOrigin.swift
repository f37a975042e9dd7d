import PlatformImageLoopbackOrigin
import PlatformImageTestSupport

/// An origin with a response for each path.
struct PipeOrigin: Sendable {
    typealias Responses = @Sendable (OriginRequest) -> OriginAction

    let origin: LoopbackOrigin

    init(_ answers: [String: Responses]) async throws {
        origin = try await LoopbackOrigin { request in
            answers[request.target]?(request) ?? .response(OriginResponse(status: 404))
        }
    }

    /// Serves `png/rgba8.png` as `/a.png`, with an entity tag and `maxAge` seconds of freshness.
    init(maxAge: Int?) async throws {
        let resource = OriginResource(try Self.image, contentType: "image/png", etag: "\"1\"", maxAge: maxAge)
        try await self.init(["/a.png": { .response(resource.response(to: $0)) }])
    }

    /// 19 x 13 pixels in 506 bytes.
    static var image: [UInt8] { get throws { try Fixture.file("png/rgba8.png") } }

    func url(_ path: String = "/a.png") -> String { origin.url(path) }

    /// Number of requests for a path.
    func requests(_ path: String = "/a.png") -> Int { origin.requests.count { $0.target == path } }

    /// A response with these header fields.
    static func response(
        _ status: Int = 200, _ fields: KeyValuePairs<String, String> = [:], _ body: [UInt8] = []
    ) -> OriginAction {
        .response(OriginResponse(status: status, fields: fields.map { OriginField($0.key, $0.value) }, body: body))
    }
}
