import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Docs/service-rules.md 4, point 3: the negotiated format, and `Vary`.
@Suite struct NegotiationTests {
    struct Row: Sendable {
        let accept: String?
        /// Letters for the formats of results whose default format is JPEG, PNG and GIF, of an animated GIF, and of
        /// another animation: j JPEG, p PNG, g GIF, w WebP, a APNG, - one frame. Nil means the formats without
        /// negotiation.
        let letters: String?

        init(_ accept: String?, _ letters: String?) { (self.accept, self.letters) = (accept, letters) }

        /// Nil for a row that needs an encoder that is not built in.
        var formats: NegotiatedFormats? {
            guard let letters else { return .standard }
            let names: [Character: NegotiatedFormat] = ["j": .jpeg, "p": .png, "g": .gif, "w": .webp, "a": .apng]
            let formats = letters.map { names[$0] }
            guard formats.allSatisfy({ $0?.encoded.isAvailable ?? true }), let jpeg = formats[0], let png = formats[1],
                let gif = formats[2]
            else { return nil }
            return NegotiatedFormats(
                jpeg: jpeg, png: png, gif: gif, animatedGIF: formats[3], otherAnimation: formats[4])
        }
    }

    static let rows: [Row] = [
        Row(nil, nil), Row("", nil), Row("*/*", nil), Row("image/*", nil), Row("text/html", nil),
        Row("image/avif", nil),
        Row("image/webp;q=0", nil), Row("image/webp;q=0,*/*", nil), Row("*/webp", nil), Row("video/webp", nil),
        Row("image/webp;x=1,*/*", nil), Row("image/webpx,*/*", nil), Row("image/apng;q=0,*/*", nil),
        // Media ranges with wildcards do not accept WebP and APNG; the exact type does.
        Row("image/webp", "wwwww"), Row("IMAGE/WebP,*/*", "wwwww"),
        Row("image/apng,*/*", "jpgaa"),
        // Accept fields of browsers.
        Row("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "wwwww"),
        Row("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", "wwwww"),
        Row(
            "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,"
                + "image/*;q=0.8,*/*;q=0.5", "wwwww"),
        Row("image/png,image/*;q=0.8,*/*;q=0.5", nil),
        // A client may prefer another format to WebP.
        Row("image/webp;q=0.5,image/*", "jpggw"),
        Row("image/webp;q=0.5,image/*;q=0.5", "wwwww"),
        Row("image/webp;q=0.5,image/gif,image/*;q=0.4", "wwggg"),
        Row("image/webp;q=0.7,image/apng,image/*;q=0.2", "wwwaa"),
        // JPEG, PNG and GIF: another format needs more than twice the quality.
        Row("image/jpeg", "jjj--"), Row("image/png", "ppp--"),
        Row("image/gif", "ggggg"), Row("image/gif,*/*", "jpggg"),
        Row("image/jpeg,image/png", "jpp--"), Row("IMAGE/PNG", "ppp--"),
        Row(" image/png ; q=1 ", "ppp--"), Row("image/png;Q=1.000", "ppp--"),
        Row("image/png;q=0,*/*", "jjgg-"),
        Row("image/jpeg;q=0,image/*", "ppgg-"),
        Row("image/gif;q=0,*/*", "jpp--"),
        Row("image/*;q=0,*/*", nil), Row("image/jpeg;q=0,image/png;q=0", nil),
        Row("image/png,*/*;q=0.1", "pppg-"),
        Row("image/jpeg,image/*;q=0.4", "jjjg-"),
        Row("image/jpeg;q=0.5,image/png", "jpp--"),
        Row("image/jpeg;q=0.499,image/png", "ppp--"), Row("*/png", nil),
        // An invalid range is ignored.
        Row("image/png;q=2", nil), Row("image/png;q=", nil), Row("image/png;q=0.0001", nil),
        Row("image/png;q=1.1", nil),
        Row("image/png;level=1", nil), Row("image", nil), Row("/png", nil), Row(",,;,image/png", "ppp--"),
        Row("image/png;q=.5", nil),
    ]

    @Test(arguments: rows)
    func acceptFieldSelectsTheFormatForEachKindOfResult(_ row: Row) {
        let negotiation = Negotiation(isOn: true, formats: NegotiatedFormat.allCases)

        if let formats = row.formats { #expect(negotiation.formats(for: row.accept) == formats) }
    }

    static let restricted: [(row: Row, allowed: [NegotiatedFormat])] = [
        (Row(nil, "jpp--"), [.jpeg, .png]), (Row("image/webp,image/gif", "jpp--"), [.jpeg, .png]),
        (Row("image/png", "jjgg-"), [.jpeg, .gif]), (Row("*/*", "jjj--"), [.jpeg]), (Row("*/*", "gggg-"), [.gif]),
        (Row("*/*", nil), []), (Row("image/jpeg", nil), []),
    ]

    @Test(arguments: restricted.indices)
    func formatThatIsNotAllowedIsNotSelected(_ index: Int) {
        let (row, allowed) = Self.restricted[index]

        #expect(Negotiation(isOn: true, formats: allowed).formats(for: row.accept) == row.formats)
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
