#if Service
import PlatformImageLoopbackOrigin
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Docs/service-rules.md 4, point 3: the negotiated format, and `Vary`.
@Suite struct NegotiationTests {
    /// Formats of results whose default format is JPEG, PNG, GIF, an animated GIF, and another animation; nil means the
    /// formats without negotiation.
    typealias Row = (
        accept: String?,
        formats: (
            NegotiatedFormat, NegotiatedFormat, NegotiatedFormat, NegotiatedFormat?,
            NegotiatedFormat?
        )?
    )

    static let rows: [Row] = [
        (nil, nil), ("", nil), ("*/*", nil), ("image/*", nil), ("text/html", nil), ("image/avif", nil),
        ("image/webp;q=0", nil), ("image/webp;q=0,*/*", nil), ("*/webp", nil), ("video/webp", nil),
        ("image/webp;x=1,*/*", nil), ("image/webpx,*/*", nil), ("image/apng;q=0,*/*", nil),
        // Media ranges with wildcards do not accept WebP and APNG; the exact type does.
        ("image/webp", (.webp, .webp, .webp, .webp, .webp)), ("IMAGE/WebP,*/*", (.webp, .webp, .webp, .webp, .webp)),
        ("image/apng,*/*", (.jpeg, .png, .gif, .apng, .apng)),
        // Accept fields of browsers.
        (
            "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", (.webp, .webp, .webp, .webp, .webp)
        ),
        (
            "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
            (.webp, .webp, .webp, .webp, .webp)
        ),
        (
            "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,"
                + "image/*;q=0.8,*/*;q=0.5", (.webp, .webp, .webp, .webp, .webp)
        ),
        ("image/png,image/*;q=0.8,*/*;q=0.5", nil),
        // A client may prefer another format to WebP.
        ("image/webp;q=0.5,image/*", (.jpeg, .png, .gif, .gif, .webp)),
        ("image/webp;q=0.5,image/*;q=0.5", (.webp, .webp, .webp, .webp, .webp)),
        ("image/webp;q=0.5,image/gif,image/*;q=0.4", (.webp, .webp, .gif, .gif, .gif)),
        ("image/webp;q=0.7,image/apng,image/*;q=0.2", (.webp, .webp, .webp, .apng, .apng)),
        // JPEG, PNG and GIF: another format needs more than twice the quality.
        ("image/jpeg", (.jpeg, .jpeg, .jpeg, nil, nil)), ("image/png", (.png, .png, .png, nil, nil)),
        ("image/gif", (.gif, .gif, .gif, .gif, .gif)), ("image/gif,*/*", (.jpeg, .png, .gif, .gif, .gif)),
        ("image/jpeg,image/png", (.jpeg, .png, .png, nil, nil)), ("IMAGE/PNG", (.png, .png, .png, nil, nil)),
        (" image/png ; q=1 ", (.png, .png, .png, nil, nil)), ("image/png;Q=1.000", (.png, .png, .png, nil, nil)),
        ("image/png;q=0,*/*", (.jpeg, .jpeg, .gif, .gif, nil)),
        ("image/jpeg;q=0,image/*", (.png, .png, .gif, .gif, nil)),
        ("image/gif;q=0,*/*", (.jpeg, .png, .png, nil, nil)),
        ("image/*;q=0,*/*", nil), ("image/jpeg;q=0,image/png;q=0", nil),
        ("image/png,*/*;q=0.1", (.png, .png, .png, .gif, nil)),
        ("image/jpeg,image/*;q=0.4", (.jpeg, .jpeg, .jpeg, .gif, nil)),
        ("image/jpeg;q=0.5,image/png", (.jpeg, .png, .png, nil, nil)),
        ("image/jpeg;q=0.499,image/png", (.png, .png, .png, nil, nil)), ("*/png", nil),
        // An invalid range is ignored.
        ("image/png;q=2", nil), ("image/png;q=", nil), ("image/png;q=0.0001", nil), ("image/png;q=1.1", nil),
        ("image/png;level=1", nil), ("image", nil), ("/png", nil), (",,;,image/png", (.png, .png, .png, nil, nil)),
        ("image/png;q=.5", nil),
    ]

    @Test(arguments: Self.rows.indices)
    func acceptFieldSelectsTheFormatForEachKindOfResult(_ index: Int) {
        let row = Self.rows[index]
        var expected = NegotiatedFormats.standard
        if let (jpeg, png, gif, animatedGIF, other) = row.formats, Self.canNegotiate(row) {
            expected = NegotiatedFormats(
                jpeg: jpeg, png: png, gif: gif, animatedGIF: animatedGIF, otherAnimation: other)
        }

        let negotiation = Negotiation(isOn: true, formats: NegotiatedFormat.allCases)

        guard Self.canNegotiate(row) else { return }
        #expect(negotiation.formats(for: row.accept) == expected, "\(row.accept ?? "-")")
    }

    /// False for a row whose formats need an encoder that is not built in.
    private static func canNegotiate(_ row: Row) -> Bool {
        guard let (jpeg, png, gif, animatedGIF, other) = row.formats else { return true }
        return [jpeg, png, gif, animatedGIF, other].allSatisfy { $0?.encoded.isAvailable ?? true }
    }

    @Test(
        arguments: [
            (nil, [.jpeg, .png], NegotiatedFormats(gif: .png, animatedGIF: nil)),
            ("image/webp,image/gif", [.jpeg, .png], NegotiatedFormats(gif: .png, animatedGIF: nil)),
            ("image/png", [.jpeg, .gif], .init(png: .jpeg)),
            ("*/*", [.jpeg], NegotiatedFormats(png: .jpeg, gif: .jpeg, animatedGIF: nil)),
            ("*/*", [.gif], NegotiatedFormats(jpeg: .gif, png: .gif)),
            ("*/*", [], .standard),
        ] as [(String?, [NegotiatedFormat], NegotiatedFormats)])
    func formatThatIsNotAllowedIsNotSelected(
        _ accept: String?, _ allowed: [NegotiatedFormat], _ expected: NegotiatedFormats
    ) {
        #expect(Negotiation(isOn: true, formats: allowed).formats(for: accept) == expected)
    }

    @Test(arguments: [
        ("image/webp", true), ("image/webp;q=0.1,image/jpeg", true), ("image/webp;q=0,*/*", false), ("*/*", false),
        (nil, false),
    ])
    func autoWebPSendsStillImagesAsWebPIfAcceptNamesIt(_ accept: String?, _ isNamed: Bool) {
        let table = Negotiation(isOn: false, formats: [], sendsWebP: true).formats(for: accept)

        let sends = isNamed && EncodedFormat.webp.isAvailable
        #expect(
            table
                == (sends
                    ? NegotiatedFormats(jpeg: .webp, png: .webp, gif: .webp, otherAnimation: .webp) : .standard))
        #expect(table.animatedGIF == .gif)
    }

    @Test func searchAddsTheAcceptedFormatsAsCandidates() {
        let negotiation = Negotiation(isOn: true, formats: NegotiatedFormat.allCases, searches: true)

        #expect(negotiation.formats(for: "image/jpeg").candidates == [.jpeg])
        #expect(negotiation.formats(for: "image/png;q=0,*/*").candidates == [.jpeg])
        #expect(negotiation.formats(for: "*/*").candidates == [.jpeg, .png])
        if EncodedFormat.webp.isAvailable {
            #expect(negotiation.formats(for: "image/webp,*/*").candidates == [.webp, .jpeg, .png])
        }
        #expect(
            Negotiation(isOn: false, formats: [], searches: true).formats(for: "image/jpeg").candidates == [
                .jpeg, .png,
            ])
    }

    @Test func browsersWithDifferentAcceptFieldsHaveEqualTables() {
        let negotiation = Negotiation(isOn: true, formats: NegotiatedFormat.allCases)
        let tables = Self.rows.compactMap(\.accept).filter { $0.contains("image/avif,") || $0.contains(",image/avif") }
            .map(negotiation.formats)

        #expect(tables.count == 3 && Set(tables).count == 1)
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
            let again = try await service.send(target, fields: [("Accept", "image/avif,*/*")])
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
