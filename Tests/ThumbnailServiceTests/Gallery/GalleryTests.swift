import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The gallery over HTTP: its option, its content security policy, and the authorization to clear caches.
@Suite(.timeLimit(.minutes(30))) struct GalleryTests {
    private static let documents = [
        "/gallery", "/gallery/gallery.css", "/gallery/gallery.js", "/gallery/icon.svg", "/gallery/state",
        "/gallery/pictures/240",
    ]

    /// Runs a service whose gallery shows images with these names in a temporary folder.
    private static func withGallery(
        _ names: [String] = ["one.png"], keys: [[UInt8]] = [],
        _ change: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "gallery-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for name in names {
            let file = root.appending(path: name)
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(try Bitmap.landscape(60, 40).png()).write(to: file)
        }
        try await withService {
            $0.server.showsDebugFields = false
            $0.source.fileRoot = root.path(percentEncoded: false)
            $0.signing.keys = keys
            $0.gallery = .init(images: names.map { .init(source: $0, name: $0) })
            change(&$0)
        } _: { service in
            try await body(service)
        }
    }

    @Test(arguments: Self.documents + ["/gallery/clear-memory", "/gallery/purge-disk"])
    func galleryIsNotServedWithoutTheGalleryOption(_ target: String) async throws {
        try await withService { service in
            for method in ["GET", "POST"] {
                let reply = try await service.send(target, method: method, fields: [("X-Gallery-Token", "")])
                #expect(reply.status == 400 || reply.status == 405)
                #expect(reply["X-Cache"] == nil)
            }
        }
    }

    @Test func galleryDocumentsHaveAStrictContentSecurityPolicy() async throws {
        try await Self.withGallery { service in
            for target in Self.documents {
                let reply = try await service.send(target)
                #expect(reply.status == 200)
                let policy = try #require(reply["Content-Security-Policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
                #expect(!policy.contains("unsafe"))
                #expect(reply["X-Content-Type-Options"] == "nosniff")
                #expect(reply["Cache-Control"] == "no-store")
                #expect(reply["Cross-Origin-Resource-Policy"] == "same-origin")
                #expect(reply["Access-Control-Allow-Origin"] == nil)
                let head = try await service.send(target, method: "HEAD")
                #expect(head.status == 200)
                #expect(head.body.isEmpty)
            }
            let image = try await service.send("/unsafe/9x9/one.png")
            #expect(image["Content-Security-Policy"] == "default-src 'none'; sandbox")
        }
    }

    /// The content security policy blocks inline scripts and styles.
    @Test func galleryPageHasNoInlineScriptOrStyle() async throws {
        let page = GalleryPage.html(token: "t0k3n", sides: [100, 200], count: 7)
        #expect(!page.contains("style="))
        #expect(!page.contains("<style"))
        #expect(!page.contains(/\son[a-z]+=/))
        #expect(page.ranges(of: "<script").count == 1)
        #expect(page.contains("<script src=\"/gallery/gallery.js\" defer></script>"))
        for sink in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("] {
            #expect(!String(decoding: GalleryPage.script, as: UTF8.self).contains(sink))
        }
    }

    @Test(arguments: ["gallery.css", "gallery.js", "icon.svg"])
    func servedGalleryFilesEqualTheFilesInTheRepository(_ name: String) async throws {
        let folder = Fixture.folder.appending(path: "../Sources/ThumbnailService/Gallery/Resources")
        let file = try Data(contentsOf: folder.appending(path: name).standardized)
        try await Self.withGallery { service in
            let reply = try await service.send("/gallery/\(name)")
            #expect(reply.body == Array(file))
        }
    }

    @Test func galleryImagesHaveTheXCacheFieldWhenDebugFieldsAreDisabled() async throws {
        try await Self.withGallery { service in
            let target = try await service.thumbnails()[0]
            #expect(try await service.send(target)["X-Cache"] == "render")
            #expect(try await service.send(target)["X-Cache"] == "memory")
        }
    }

    @Test func galleryThumbnailTargetsAreSignedWithTheFirstKey() async throws {
        let first = Array("the first of keys".utf8)
        try await Self.withGallery(keys: [first, Array("the second of keys".utf8)]) {
            $0.signing.allowsUnsafe = false
        } _: { service in
            let keys = try SigningKeys([first])
            #expect(try await service.thumbnails() == [keys.signed("240x240/one.png")])
            for target in try await service.thumbnails() { #expect(try await service.send(target).status == 200) }
            #expect(try await service.send("/unsafe/240x240/one.png").status == 400)
        }
    }

    @Test(arguments: ["0", "1", "239", "-240", "0240x", "99999999999999999999", "", "240/", "%32%34%30"])
    func unsupportedGalleryThumbnailSideIs404(_ side: String) async throws {
        try await Self.withGallery { service in
            let reply = try await service.send("/gallery/pictures/\(side)")
            #expect(reply.status == 404)
        }
    }

    // MARK: - File names

    /// File names with HTML, filters, dot segments or `%` are escaped in the page. The target for each name returns the
    /// image with this name.
    @Test func hostileFileNamesAreEscapedInTheGalleryAndServed() async throws {
        let names = [
            "<img src=x onerror=alert(1)>.png", "\"><script>alert(1)<&.png", "filters:blur(9).png", "a?b=c#d.png",
            "100%25.png", "%2e%2e.png", "名前 ü.png", "http:.png", "10x10.png", "':;,@&=+$!*()[].png",
        ]
        try await Self.withGallery(names + ["smart", "10x10", "filters:a()"].map { "\($0)/in.png" }) {
            service in
            let page = try await service.send("/gallery").text
            let list = try await service.send("/gallery/pictures/240")
            #expect(list["Content-Type"] == "application/json")
            for name in names {
                #expect(!page.contains(name))
                #expect(list.text.contains("\"name\":\(JSONText.quoted(name))"))
            }
            let targets = try await service.thumbnails()
            #expect(targets.count == names.count + 3)
            for target in targets {
                #expect(target.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/-._~%".utf8.contains($0) })
                let reply = try await service.send(target)
                #expect(reply.status == 200)
                #expect(reply["X-Ignored-Filters"] == nil)
                let bitmap = try ImageDecoder().decode(reply.body).bitmap
                #expect((bitmap.width, bitmap.height) == (240, 240))
            }
        }
    }

    @Test(arguments: ["..\\a.png", "../one.png", "/etc/passwd", "a\u{1}.png"])
    func galleryFileNameOutsideTheFolderOrWithAControlCharacterIsRejected(_ name: String) async throws {
        try await Self.withGallery {
            $0.gallery = .init(images: [.init(source: name, name: name)])
        } _: { service in
            let target = try await service.thumbnails()[0]
            #expect([400, 404].contains(try await service.send(target).status))
        }
    }

    // MARK: - Commands

    @Test func cacheIsClearedOnlyByAPOSTRequestWithTheGalleryToken() async throws {
        try await Self.withGallery { service in
            let target = try await service.thumbnails()[0]
            _ = try await service.send(target)
            let token = try await service.token()
            let last = token.last == "0" ? "1" : "0"
            let wrong = ["", "x", String(token.dropLast()), token + "0", token.dropLast() + last]
            for order in ["/gallery/clear-memory", "/gallery/purge-disk"] {
                for given in wrong.map({ [("X-Gallery-Token", $0)] }) + [[]] {
                    let reply = try await service.send(order, method: "POST", fields: given)
                    #expect(reply.status == 403)
                    #expect(reply["Cache-Control"] == "no-store")
                }
                for site in ["cross-site", "same-site", "none"] {
                    let fields = [("X-Gallery-Token", token), ("Sec-Fetch-Site", site)]
                    #expect(try await service.send(order, method: "POST", fields: fields).status == 403)
                }
                #expect(try await service.send(order, fields: [("X-Gallery-Token", token)]).status == 405)
            }
            #expect(try await service.send(target)["X-Cache"] == "memory")
            let cleared = try await service.send(
                "/gallery/clear-memory", method: "POST", fields: [("X-Gallery-Token", token)])
            #expect(cleared.status == 200)
            #expect(cleared.text.contains("\"memory\":{\"count\":0,\"bytes\":0,\"limit\":134217728}"))
            #expect(try await service.send(target)["X-Cache"] == "render")
        }
    }

    @Test func memoryAndDiskCacheAreClearedSeparately() async throws {
        try await Self.withGallery {
            $0.cache.directory = $0.source.fileRoot.map { $0 + "/cache" }
        } _: { service in
            let target = try await service.thumbnails()[0]
            let token = [("X-Gallery-Token", try await service.token())]
            #expect(try await service.send(target)["X-Cache"] == "render")
            await service.engine.flush()
            _ = try await service.send("/gallery/clear-memory", method: "POST", fields: token)
            #expect(try await service.send(target)["X-Cache"] == "disk")
            let purged = try await service.send("/gallery/purge-disk", method: "POST", fields: token)
            #expect(purged.text.contains("\"disk\":{\"count\":0,"))
            #expect(try await service.send(target)["X-Cache"] == "memory")
            _ = try await service.send("/gallery/clear-memory", method: "POST", fields: token)
            #expect(try await service.send(target)["X-Cache"] == "render")
        }
    }

    @Test func everyServiceHasAUniqueGalleryToken() async throws {
        var tokens: Set<String> = []
        for _ in 0..<2 {
            let (received, continuation) = AsyncStream.makeStream(of: String.self)
            try await Self.withGallery { continuation.yield(try await $0.token()) }
            continuation.finish()
            for await token in received {
                #expect(token.utf8.count == 64)
                tokens.insert(token)
            }
        }
        #expect(tokens.count == 2)
    }

    /// DNS rebinding: a browser treats a page under a foreign host name that resolves to this service as same-origin
    /// with the service, so the page could read the token that permits clearing caches.
    @Test(arguments: [
        ("127.0.0.1:8080", 200), ("localhost", 200), ("LOCALHOST:1", 200), ("[::1]:8080", 200), ("192.168.1.9", 200),
        ("images.example", 200), ("images.example:444", 200), ("rebound.example", 403), ("127.0.0.1.example", 403),
        ("localhost.example", 403),
        // These fields are not a host with an optional port, so they are rejected before the gallery handles the
        // request (RFC 9112 section 3.2).
        ("localhost:80.example", 400), ("", 400),
    ])
    func galleryIsServedOnlyForIPAddressesAndLocalhostAndThePublicHostName(_ host: String, _ status: Int) async throws {
        try await Self.withGallery {
            $0.server.publicURL = "https://images.example"
        } _: { service in
            for target in Self.documents {
                let reply = try await service.send(target, fields: [("Host", host)])
                #expect(reply.status == status)
            }
        }
    }

    // MARK: - State

    @Test func galleryStateReportsCachesAndRenderCounts() async throws {
        try await Self.withGallery(["one.png", "two.png"]) { service in
            for target in try await service.thumbnails() { _ = try await service.send(target) }
            // A render releases its reserved memory when the render ends, possibly after the response is sent.
            await yieldUntil { service.engine.queue.budget.grantedBytes == 0 }
            let state = GalleryState(service.engine)
            #expect(state.memory?.count == 2)
            #expect(state.memory?.limit == 128 << 20)
            #expect(state.disk == nil)
            #expect(state.sources == nil)
            #expect(state.renders.count == 0)
            #expect(state.renders.bytes == 0)
            #expect(state.renderCount == 2)
            #expect(state.residentBytes > 1 << 20)
            let sent = try await service.send("/gallery/state").text
            #expect(sent.contains("\"disk\":null,\"sources\":null,"))
            #expect(sent.contains("\"rendered\":2,\"cancelled\":0,"))
        }
    }

    @Test func clientDisconnectIsCountedAsCancelledInTheGalleryState() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(status: 404)
            response.gate = gate
            return .response(response)
        }
        let address = origin.url("/slow.png")
        try await withService(origin: origin) {
            $0.gallery = .init(images: [.init(source: address, name: "slow")])
        } _: { service in
            let target = try await service.thumbnails()[0]
            let client = Task { try await service.send(target) }
            await origin.waitForRequests(1)
            client.cancel()
            _ = await client.result
            // The service notices the end of the connection asynchronously.
            await yieldUntil { GalleryState(service.engine).cancelledCount > 0 }
            #expect(GalleryState(service.engine).cancelledCount == 1)
        }
        gate.open()
        await origin.stop()
    }
}

extension RunningService {
    fileprivate func thumbnails() async throws -> [String] {
        let text = try await send("/gallery/pictures/240").text
        return text.split(separator: "\"thumbnail\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    fileprivate func token() async throws -> String {
        let page = try await send("/gallery").text
        let rest = try #require(page.split(separator: "name=\"gallery-token\" content=\"").dropFirst().first)
        return String(rest.prefix { $0 != "\"" })
    }
}
