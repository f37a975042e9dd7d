#if Service
import PlatformImageLoopbackOrigin
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Docs/service-rules.md 4, point 3: the negotiated format, and `Vary`.
@Suite struct NegotiationTests {
    static let fields: [(accept: String?, format: OutputFormatRequest.Format?)] = [
        (nil, nil), ("", nil), ("*/*", nil), ("image/*", nil), ("image/webp", nil),
        ("image/webp,*/*", nil), ("text/html", nil), ("image/jpeg", .jpeg), ("image/png", .png),
        ("image/jpeg,image/png", nil), ("IMAGE/PNG", .png), (" image/png ; q=1 ", .png), ("image/png;Q=1.000", .png),
        // Accept fields of browsers: a photograph remains a JPEG.
        ("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", nil),
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", nil),
        // A quality of 0 excludes a type, and the most specific range applies.
        ("image/png;q=0,*/*", .jpeg), ("image/jpeg;q=0,image/*", .png), ("image/*;q=0,*/*", nil),
        ("image/jpeg;q=0,image/png;q=0", nil), ("image/png,*/*;q=0.1", .png), ("image/jpeg,image/*;q=0.4", .jpeg),
        ("image/jpeg;q=0.5,image/png", nil), ("image/jpeg;q=0.499,image/png", .png), ("*/png", nil),
        // An invalid range is ignored.
        ("image/png;q=2", nil), ("image/png;q=", nil), ("image/png;q=0.0001", nil), ("image/png;q=1.1", nil),
        ("image/png;level=1", nil), ("image", nil), ("/png", nil), (",,;,image/png", .png), ("image/png;q=.5", nil),
    ]

    @Test(arguments: Self.fields)
    func acceptFieldSelectsTheOutputFormat(_ accept: String?, _ format: OutputFormatRequest.Format?) {
        #expect(Negotiation.format(for: accept) == format)
    }

    private static func origin() async throws -> LoopbackOrigin {
        let file = try Bitmap.landscape(60, 40).png()
        return try await LoopbackOrigin { request in
            request.target == "/cat.png"
                ? .response(OriginResource(file, contentType: "image/png", maxAge: 3_600).response(to: request))
                : .response(OriginResponse(status: 404))
        }
    }

    @Test func responsesWithNegotiationHaveTheAcceptedFormatAndVaryAccept() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) {
            $0.output.negotiates = true
        } _: { service in
            let target = "/unsafe/30x20/127.0.0.1:\(origin.port)/cat.png"
            let own = try await service.send(target)
            #expect(own["Content-Type"] == "image/png")
            let jpeg = try await service.send(target, fields: [("Accept", "image/jpeg")])
            #expect(jpeg["Content-Type"] == "image/jpeg")
            #expect(jpeg["X-Cache"] == "render")
            #expect(jpeg["ETag"] != own["ETag"])
            let again = try await service.send(target, fields: [("Accept", "image/webp,*/*")])
            #expect(again.body == own.body)
            #expect(again["X-Cache"] == "memory")
            let tag = try #require(jpeg["ETag"])
            let fields = [("Accept", "image/jpeg"), ("If-None-Match", tag)]
            let unchanged = try await service.send(target, fields: fields)
            #expect(unchanged.status == 304)
            let missing = try await service.send("/unsafe/30x20/127.0.0.1:\(origin.port)/none.png")
            #expect(missing.status == 404)
            let sent = try await service.send("/post/unsafe/9x9/body", method: "POST", body: Array("no".utf8))
            #expect(sent.status == 415)
            for reply in [own, jpeg, again, unchanged, missing, sent] { #expect(reply["Vary"] == "Accept") }
        }
        await origin.stop()
    }

    @Test(arguments: [
        ("/unsafe/30x20/filters:format(jpeg)/127.0.0.1:PORT/cat.png", 200),
        ("/unsafe/30x20/filters:format(png)/127.0.0.1:PORT/none.png", 404),
        ("/unsafe/meta/127.0.0.1:PORT/cat.png", 200), ("/health/live", 200),
        ("/iiif/3/cat.png/full/30,/0/default.jpg", 200), ("/iiif/3/none.png/full/30,/0/default.jpg", 404),
    ])
    func targetWithAFixedResponseFormatIgnoresAccept(_ target: String, _ status: Int) async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) {
            $0.output.negotiates = true
            $0.iiif = .init(urlPrefix: "http://127.0.0.1:\(origin.port)/")
        } _: { service in
            let reply = try await service.send(
                target.replacing("PORT", with: "\(origin.port)"), fields: [("Accept", "image/png")])
            #expect(reply.status == status)
            #expect(reply["Vary"] == nil)
            if target.hasSuffix(".jpg"), status == 200 { #expect(reply["Content-Type"] == "image/jpeg") }
        }
        await origin.stop()
    }

    @Test func acceptIsIgnoredWhenNegotiationIsDisabled() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) { service in
            let reply = try await service.send(
                "/unsafe/30x20/127.0.0.1:\(origin.port)/cat.png", fields: [("Accept", "image/jpeg")])
            #expect(reply["Content-Type"] == "image/png")
            #expect(reply["Vary"] == nil)
            #expect(reply["Cross-Origin-Resource-Policy"] == nil)
        }
        await origin.stop()
    }
}
#endif
