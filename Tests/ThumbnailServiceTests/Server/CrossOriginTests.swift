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

    private static func withPolicy(
        _ origins: [String], log: ServiceLog = .none,
        _ body: @escaping @Sendable (RunningService, _ targets: [(target: String, status: Int)]) async throws -> Void
    ) async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { request in
            request.target == "/cat.png"
                ? .ok(file, [OriginField("Cache-Control", "max-age=3600")]) : .response(OriginResponse(status: 404))
        }
        let source = "127.0.0.1:\(origin.port)"
        let targets: [(target: String, status: Int)] = [
            ("/unsafe/20x20/\(source)/cat.png", 200), ("/unsafe/meta/20x20/\(source)/cat.png", 200),
            ("/unsafe/20x20/\(source)/none.png", 404), ("/unsafe/20x20/b.example/a.png", 403), ("/no", 400),
            ("/iiif/3/cat.png/full/20,/0/default.png", 200), ("/iiif/3/none.png/info.json", 404),
        ]
        try await withService(origin: origin, log: log) {
            $0.server.allowedOrigins = origins
            $0.server.showsDebugFields = false
            $0.output.negotiates = true
            $0.iiif = .init(urlPrefix: "http://\(source)/")
        } _: {
            try await body($0, targets)
        }
        await origin.stop()
    }

    @Test(arguments: [false, true]) func everyResponseIsReadableByAnyOriginWithAStar(_ logs: Bool) async throws {
        try await Self.withPolicy(["*"], log: logs ? LogRecorder().log : .none) { service, targets in
            for (target, status) in targets {
                // Repeated requests are answered from memory.
                for method in ["GET", "HEAD", "GET", "GET"] {
                    let fields = [("Origin", "https://a.example")]
                    let reply = try await service.send(target, method: method, fields: fields)
                    #expect(reply.status == status)
                    #expect(reply["Access-Control-Allow-Origin"] == "*", "\(method) \(target)")
                    #expect(reply["Access-Control-Expose-Headers"]?.contains("X-Image-Status") == true)
                    #expect(reply["Vary"]?.contains("Origin") != true)
                }
            }
            let tag = try #require(try await service.send(targets[0].target)["ETag"])
            let unchanged = try await service.send(targets[0].target, fields: [("If-None-Match", tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged["Access-Control-Allow-Origin"] == "*")
            #expect(try await service.send("/health/live")["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(arguments: [false, true]) func listedOriginIsEchoedAndOthersAreNot(_ logs: Bool) async throws {
        let list = ["https://a.example", "http://localhost:3000"]
        try await Self.withPolicy(list, log: logs ? LogRecorder().log : .none) { service, targets in
            for (target, status) in targets {
                for sent in list + list + ["https://b.example", "https://a.example:444", "null", ""] {
                    let reply = try await service.send(target, fields: sent.isEmpty ? [] : [("Origin", sent)])
                    #expect(reply.status == status)
                    #expect(reply["Access-Control-Allow-Origin"] == (list.contains(sent) ? sent : nil), "\(target)")
                    #expect(reply["Vary"]?.contains("Origin") == true)
                }
            }
            #expect(try await service.send(targets[0].target)["Vary"] == "Accept, Origin")
        }
    }

    @Test func preflightRequestIsAnsweredForEveryDialect() async throws {
        try await Self.withPolicy(["https://a.example"]) { service, targets in
            for target in [targets[0].target, targets[5].target] {
                let fields = [("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "x-own")]
                for (sent, isAllowed) in [("https://a.example", true), ("https://b.example", false)] {
                    let reply = try await service.send(target, method: "OPTIONS", fields: fields + [("Origin", sent)])
                    #expect(reply.status == 204)
                    #expect(reply["Access-Control-Allow-Origin"] == (isAllowed ? sent : nil))
                    #expect(reply["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
                    #expect(reply["Access-Control-Allow-Headers"] == "*")
                    #expect(reply["Access-Control-Max-Age"] == "86400")
                }
            }
        }
    }

    @Test func originsAreNormalizedAsBrowsersSendThem() {
        let table: [(String, String?)] = [
            ("https://A.Example", "https://a.example"), ("https://a.example:443", "https://a.example"),
            ("http://a.example:443", "http://a.example:443"), ("http://[::1]:80", "http://[::1]"),
            ("app://local", "app://local"), ("https://a.example/", nil), ("https://", nil), ("a.example", nil),
            ("https://u@a.example", nil), ("https://a.example:65536", nil), ("https://a.example:", nil), ("null", nil),
        ]
        for (text, origin) in table { #expect(WebOrigin.normalized(text) == origin, "\(text)") }
    }
}
