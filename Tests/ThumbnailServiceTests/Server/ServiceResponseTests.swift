import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The service over HTTP with a loopback origin: statuses and fields of Docs/service-rules.md 2.4 and 4.
@Suite(.timeLimit(.minutes(30))) struct ServiceResponseTests {
    private static func image(width: Int, height: Int) throws -> [UInt8] {
        try Bitmap.landscape(width, height).png()
    }

    private static func origin(maxAge: Int? = 3_600) async throws -> LoopbackOrigin {
        let file = try image(width: 100, height: 80)
        return try await LoopbackOrigin { request in
            switch request.target {
            case "/cat.png":
                .response(
                    OriginResource(file, contentType: "image/png", etag: "\"1\"", maxAge: maxAge).response(to: request))
            case "/text.png": .ok(Array("<html>no picture".utf8))
            case "/empty.png": .ok([])
            default: .response(OriginResponse(status: 404))
            }
        }
    }

    @Test func thumborTargetReturnsAnImageOfTheRequestedSize() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) { service in
            let reply = try await service.send("/unsafe/30x20/127.0.0.1:\(origin.port)/cat.png")
            #expect(reply.status == 200)
            #expect(reply["Content-Type"] == "image/png")
            #expect(reply["X-Content-Type-Options"] == "nosniff")
            #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(reply["Cache-Control"] == "public, max-age=3600")
            #expect(reply["Content-Length"] == "\(reply.body.count)")
            #expect(reply["X-Cache"] == "render")
            #expect(reply["Content-Disposition"] == "inline")
            let bitmap = try ImageDecoder().decode(reply.body).bitmap
            #expect((bitmap.width, bitmap.height) == (30, 20))
        }
        await origin.stop()
    }

    @Test func secondRequestIsServedFromMemoryAndAMatchingETagIs304() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) { service in
            let target = "/unsafe/fit-in/50x50/127.0.0.1:\(origin.port)/cat.png"
            let first = try await service.send(target)
            let second = try await service.send(target)
            #expect(second["X-Cache"] == "memory")
            #expect(second.body == first.body)
            let tag = try #require(first["ETag"])
            let third = try await service.send(target, fields: [("If-None-Match", tag)])
            #expect(third.status == 304)
            #expect(third.body.isEmpty)
            #expect(third["ETag"] == tag)
            let head = try await service.send(target, method: "HEAD")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head["Content-Length"] == first["Content-Length"])
            #expect(origin.requests.count == 1)
        }
        await origin.stop()
    }

    @Test func concurrentRequestsForANewImageShareOneFetchAndOneRender() async throws {
        let gate = OriginGate()
        let file = try Self.image(width: 300, height: 200)
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: file)
            response.gate = gate
            return .response(response)
        }
        try await withService(origin: origin) { service in
            let target = "/unsafe/20x20/127.0.0.1:\(origin.port)/new.png"
            let replies = try await withThrowingTaskGroup(of: RunningService.Reply.self) { group in
                for _ in 0..<200 { group.addTask { try await service.send(target) } }
                await origin.waitForRequests(1)
                gate.open()
                var replies: [RunningService.Reply] = []
                for try await reply in group { replies.append(reply) }
                return replies
            }
            #expect(replies.count == 200)
            #expect(replies.allSatisfy { $0.status == 200 && $0.body == replies[0].body })
            #expect(origin.requests.count == 1)
            #expect(service.engine.counters.renderCount == 1)
        }
        await origin.stop()
    }

    @Test(arguments: [
        ("/unsafe/30x20/127.0.0.1:PORT/none.png", 404, "notFound"),
        ("/unsafe/30x20/127.0.0.1:PORT/text.png", 415, "notAnImage"),
        ("/unsafe/30x20/127.0.0.1:PORT/empty.png", 415, "notAnImage"),
        ("/unsafe/30x20/elsewhere.example/cat.png", 403, "hostRefused"),
        ("/unsafe/9000x20/127.0.0.1:PORT/cat.png", 422, "limit"),
        ("/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/30x20/127.0.0.1:PORT/cat.png", 400, "badSignature"),
        ("/unsafe/30x20/127.0.0.1:PORT/cat.png?a=b", 400, "queryRefused"),
        ("/nothing", 400, "malformed"),
    ])
    func failedRequestHasTheStatusAndReasonOfItsCause(_ target: String, _ status: Int, _ reason: String) async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) { service in
            let reply = try await service.send(target.replacing("PORT", with: "\(origin.port)"))
            #expect(reply.status == status)
            #expect(reply["Content-Type"] == "application/problem+json")
            #expect(reply.text.contains("\"reason\":\"\(reason)\""))
            #expect(!reply.text.contains("127.0.0.1"))
            #expect(reply["X-Request-ID"].map { reply.text.contains($0) } == true)
        }
        await origin.stop()
    }

    @Test func postedImageIsRenderedWhenFetchingIsDisabled() async throws {
        let file = try Self.image(width: 60, height: 60)
        try await withService {
            $0.source.fetches = false
        } _: { service in
            let reply = try await service.send("/post/unsafe/fit-in/20x20/body", method: "POST", body: file)
            #expect(reply.status == 200)
            #expect(reply["Cache-Control"]?.hasPrefix("private") == true)
            let bitmap = try ImageDecoder().decode(reply.body).bitmap
            #expect((bitmap.width, bitmap.height) == (20, 20))
            let refused = try await service.send("/unsafe/20x20/images.example/cat.png")
            #expect(refused.status == 403)
        }
    }

    @Test func attachmentFilterSetsTheFileNameInContentDisposition() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) { service in
            let target = "/unsafe/9x9/filters:attachment(cat.png)/127.0.0.1:\(origin.port)/cat.png"
            let reply = try await service.send(target)
            #expect(reply["Content-Disposition"] == "attachment; filename=\"cat.png\"")
        }
        await origin.stop()
    }

    @Test func healthIsServedWithoutASignatureAndDELETEIs405() async throws {
        try await withService { service in
            for target in ["/health/live", "/health/ready", "/healthcheck"] {
                #expect(try await service.send(target).status == 200)
            }
            let other = try await service.send("/unsafe/10x10/a.example/b.png", method: "DELETE")
            #expect(other.status == 405)
            #expect(other["Allow"] == "GET, HEAD, OPTIONS")
        }
    }
}
