import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// `Access-Control-Allow-Origin`: scripts of any site may read all responses to IIIF targets.
@Suite(.timeLimit(.minutes(30))) struct CrossOriginTests {
    private static func withOrigin(
        _ body: @escaping @Sendable (RunningService, LoopbackOrigin) async throws -> Void
    ) async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { request in
            request.target == "/cat.png" ? .ok(file) : .response(OriginResponse(status: 404))
        }
        try await withService(origin: origin) {
            $0.iiif = .init(urlPrefix: "http://127.0.0.1:\(origin.port)/")
        } _: {
            try await body($0, origin)
        }
        await origin.stop()
    }

    @Test(
        arguments: [
            ("/iiif/3/cat.png/full/20,/0/default.png", 200), ("/iiif/3/cat.png/info.json", 200),
            ("/iiif/3/none.png/full/20,/0/default.png", 404), ("/iiif/3/none.png/info.json", 404),
            ("/iiif/3/cat.png/full/x/0/default.png", 400), ("/iiif/3/cat.png/full/20,/0/default.tif", 400),
            ("/iiif/3/cat.png/full/9000,/0/default.png", 400), ("/iiif/3/", 400),
        ])
    func everyResponseToAnIIIFTargetIsReadableByAnyOrigin(_ target: String, _ status: Int) async throws {
        try await Self.withOrigin { service, _ in
            let reply = try await service.send(target)
            #expect(reply.status == status)
            #expect(reply["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func responsesWithStatus304And405And414ToIIIFTargetsAreReadableByAnyOrigin() async throws {
        try await Self.withOrigin { service, _ in
            let target = "/iiif/3/cat.png/full/20,/0/default.png"
            let tag = try #require(try await service.send(target)["ETag"])
            let unchanged = try await service.send(target, fields: [("If-None-Match", tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged["Access-Control-Allow-Origin"] == "*")
            let refused = try await service.send(target, method: "DELETE")
            #expect(refused.status == 405)
            #expect(refused["Access-Control-Allow-Origin"] == "*")
            let long = try await service.send("/iiif/3/" + String(repeating: "a", count: 8_192))
            #expect(long.status == 414)
            #expect(long["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func responsesToThumborTargetsHaveNoAccessControlFields() async throws {
        try await Self.withOrigin { service, origin in
            for target in ["/unsafe/20x20/127.0.0.1:\(origin.port)/cat.png", "/unsafe/20x20/b.example/a.png", "/no"] {
                let reply = try await service.send(target)
                #expect(reply["Access-Control-Allow-Origin"] == nil, "\(target)")
            }
        }
    }
}
