import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct RealServerTests {
    /// A server behaviour and the expected result of the load: an image or an error code.
    private struct ServerBehaviour: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: OriginAction
        var error: LoadError.Code?
        var isIdleLimited = false

        init(_ name: String, _ answer: OriginAction, _ error: LoadError.Code? = nil, isIdleLimited: Bool = false) {
            testDescription = name
            self.answer = answer
            self.error = error
            self.isIdleLimited = isIdleLimited
        }
    }

    private static func raw(_ head: String, _ body: [UInt8] = TestImage.first) -> OriginAction {
        .close(after: Array("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\(head)\r\n".utf8) + body)
    }

    private static let behaviours: [ServerBehaviour] = [
        ServerBehaviour("plain", RealServerBench.image()),
        ServerBehaviour("body until the connection closes", RealServerBench.image { $0.framing = .untilClose }),
        ServerBehaviour("chunked", RealServerBench.image { $0.framing = .chunked }),
        ServerBehaviour("single bytes", RealServerBench.image { $0.chunkSize = 1 }),
        ServerBehaviour(
            "slow",
            RealServerBench.image {
                $0.chunkSize = 100
                $0.pause = .milliseconds(1)
            }),
        ServerBehaviour("after interim responses", RealServerBench.image { $0.interim = [(103, []), (103, [])] }),
        ServerBehaviour("gzip", RealServerBench.image(CodedBody.gzip(TestImage.first), [coding("gzip")])),
        ServerBehaviour("deflate", RealServerBench.image(CodedBody.zlib(TestImage.first), [coding("deflate")])),
        ServerBehaviour(
            "invalid gzip", RealServerBench.image(TestImage.first, [coding("gzip")]), .undecodable),
        ServerBehaviour(
            "unknown content coding", RealServerBench.image(Array(repeating: 0x8B, count: 300), [coding("br")]),
            .undecodable),
        ServerBehaviour("unused content coding", RealServerBench.image(TestImage.first, [coding("br")])),
        ServerBehaviour("closed within the body", RealServerBench.image { $0.failure = (250, .close) }, .transport),
        ServerBehaviour("closed before the body", RealServerBench.image { $0.failure = (0, .close) }, .transport),
        ServerBehaviour(
            "chunked and closed",
            RealServerBench.image {
                $0.framing = .chunked
                $0.failure = (250, .close)
            }, .transport),
        ServerBehaviour("Content-Length too large", raw("Content-Length: 100000\r\n"), .transport),
        ServerBehaviour("Content-Length too small", raw("Content-Length: 100\r\n"), .undecodable),
        ServerBehaviour("two Content-Lengths", raw("Content-Length: 506\r\nContent-Length: 507\r\n"), .transport),
        ServerBehaviour("no Content-Length", raw("")),
        ServerBehaviour("closed without a response", .close(), .transport),
        ServerBehaviour("another protocol", .close(after: Array("220 mail ready\r\n".utf8)), .transport),
        ServerBehaviour("no response", .silence, .transport, isIdleLimited: true),
        ServerBehaviour(
            "stalled within the body", RealServerBench.image { $0.failure = (250, .silence) }, .transport,
            isIdleLimited: true),
        ServerBehaviour("header of 30 kB", RealServerBench.image(TestImage.first, padding(30))),
        ServerBehaviour("header of 2 MB", RealServerBench.image(TestImage.first, padding(2_000)), .transport),
        ServerBehaviour("404", .response(OriginResponse(status: 404, body: Array("no".utf8))), .http),
        ServerBehaviour("503", .response(OriginResponse(status: 503)), .http),
        ServerBehaviour(
            "HTML page", .ok(Array("<html>".utf8), [OriginField("Content-Type", "text/html")]),
            .unacceptableContentType),
    ]

    private static func coding(_ name: String) -> OriginField { OriginField("Content-Encoding", name) }

    /// `count` fields with values of 1,000 bytes each.
    private static func padding(_ count: Int) -> [OriginField] {
        (0..<count).map { OriginField("X-Padding-\($0)", String(repeating: "p", count: 1_000)) }
    }

    /// An incomplete response is an error and is neither delivered nor stored.
    @Test(.requirement("O11", "O19", "O21", "O32", "O39", "O42", "O43"), arguments: behaviours)
    private func loadFromEachServerBehaviourReturnsItsExpectedImageOrError(_ behaviour: ServerBehaviour) async throws {
        let origin = try await LoopbackOrigin { _ in behaviour.answer }
        let bench = try RealServerBench { if behaviour.isIdleLimited { $0.idleTimeout = .milliseconds(50) } }

        let result = await bench.result(ImageRequest(url: origin.url("/picture.png")))

        switch (result, behaviour.error) {
        case (.success(let image), nil):
            #expect(image.bitmap.width == 19)
            #expect(image.source == .networkToDisk)
            #expect(bench.storedFiles.count == 1)
        case (.failure(let error), let code?):
            #expect(error.code == code, "\(error)")
            #expect(!bench.storedFiles.contains { $0.hasSuffix(".tmp") })
            #expect(await bench.failure(ImageRequest(url: origin.url("/picture.png"), policy: .cacheOnly)) != nil)
        default: Issue.record("\(result)")
        }
        await bench.waitUntilIdle()
        // A load may fail before the origin has read its request.
        await origin.waitForRequests(1)
        #expect(origin.requests.count == 1, "nothing is retried without a retry policy")
    }

    @Test(.requirement("O57", "O94"), arguments: [301, 302, 303, 307, 308])
    func credentialsAreNotSentAfterARedirectToAnotherOrigin(_ status: Int) async throws {
        let other = try await LoopbackOrigin { _ in RealServerBench.image() }
        let origin = try await LoopbackOrigin { request in
            request.target == "/first" ? .redirect(status, to: "/second") : .redirect(status, to: other.url("/third"))
        }
        let bench = try RealServerBench()
        let secret: HeaderFields = [
            "Authorization": "Basic dTpw", "Cookie": "a=b", "Proxy-Authorization": "x", "X-Kept": "1",
        ]

        let result = await bench.result(ImageRequest(url: origin.url("/first"), fields: secret))

        let image = try result.get()
        #expect(image.bitmap.width == 19)
        #expect(origin.requests.map(\.target) == ["/first", "/second"])
        #expect(origin.requests.allSatisfy { $0["Authorization"] == "Basic dTpw" && $0["Cookie"] == "a=b" })
        let last = try #require(other.requests.first)
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] { #expect(last[name] == nil, "\(name)") }
        #expect(last["X-Kept"] == "1")
    }

    @Test(.requirement("O57")) func basicAuthIsSentToTheRequestedOriginOnly() async throws {
        let other = try await LoopbackOrigin { _ in RealServerBench.image() }
        let origin = try await LoopbackOrigin { _ in .redirect(to: other.url()) }
        let user = try BasicAuth(user: "u", password: "p")
        let bench = try RealServerBench { $0.basicAuth = user }

        _ = try await bench.result(ImageRequest(url: origin.url())).get()

        #expect(origin.requests.map { $0["Authorization"] } == ["Basic dTpw"])
        #expect(other.requests.map { $0["Authorization"] } == [nil])
    }

    @Test(.requirement("O58"))
    func loadFromAServerWithAnUntrustedCertificateFailsUnlessTrustIsConfigured() async throws {
        let certificate = try OriginCertificate()
        for speaksHTTP2 in [false, true] {
            let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in
                RealServerBench.image()
            }
            let request = ImageRequest(url: origin.url())
            let untrusting = try RealServerBench()
            let benches = [
                try RealServerBench { $0.trustAnySSLCertificate = true },
                try RealServerBench { $0.trustedHosts = ["127.0.0.1"] },
                try RealServerBench { $0.additionalTrustRoots = [certificate.pem] },
            ]

            #expect(await untrusting.failure(request) == .tls)
            #expect(origin.requests.isEmpty)
            for bench in benches {
                let image = try await bench.result(request).get()
                #expect(image.bitmap.width == 19)
            }
            #expect(origin.requests.count == benches.count)
            #expect(origin.requests.allSatisfy { $0.isHTTP2 == speaksHTTP2 })
        }
    }

    /// 60 concurrent loads of 20 URLs send one request per URL, all over one connection.
    @Test(.requirement("O68", "O82", "O88")) func manyLoadsShareOneHTTP2Connection() async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in
            RealServerBench.image()
        }
        let bench = try RealServerBench { $0.additionalTrustRoots = [certificate.pem] }

        await withTaskGroup(of: Result<LoadedImage, LoadError>.self) { group in
            for number in 0..<60 {
                group.addTask { await bench.result(ImageRequest(url: origin.url("/\(number % 20)"))) }
            }
            for await result in group { #expect((try? result.get())?.bitmap.width == 19) }
        }

        #expect(Set(origin.requests.map(\.target)).count == 20)
        #expect(origin.requests.count == 20)
        #expect(origin.connectionCount == 1)
    }

    /// Field values that are not ASCII, including values that are not valid UTF-8, are read from the cache unchanged.
    @Test(.requirement("O22")) func nonASCIIFieldValuesAreStoredByteForByte() async throws {
        let values: [[UInt8]] = [Array("größe".utf8), [0xE9], [0x80, 0xFF, 0x41]]
        let fields = values.enumerated().map { OriginField("X-\($0.offset)", bytes: $0.element) }
        let origin = try await LoopbackOrigin { _ in RealServerBench.image(TestImage.first, fields) }
        let bench = try RealServerBench()

        let received = try await bench.result(ImageRequest(url: origin.url())).get()
        let stored = try await bench.result(ImageRequest(url: origin.url())).get()

        #expect(stored.source == .disk)
        for (number, value) in values.enumerated() {
            #expect(received.fields["X-\(number)"] == value)
            #expect(stored.fields["X-\(number)"] == value)
        }
    }

    /// The ETag is sent back unchanged; after the 304 response the loader delivers the stored image.
    @Test(.requirement("O20", "O22", "O26")) func storedImageIsRevalidatedOverHTTP() async throws {
        let origin = try await LoopbackOrigin { request in
            if request["If-None-Match"] == "\"v1\"" { return .response(OriginResponse(status: 304)) }
            let fields = [
                OriginField("Content-Type", "image/png"), OriginField("ETag", "\"v1\""),
                OriginField("Cache-Control", "max-age=0"),
            ]
            return .ok(TestImage.first, fields)
        }
        let bench = try RealServerBench()

        let first = try await bench.result(ImageRequest(url: origin.url())).get()
        let second = try await bench.result(ImageRequest(url: origin.url())).get()

        #expect([first.source, second.source] == [.networkToDisk, .networkNotModified])
        #expect(second.bitmap.width == first.bitmap.width)
        #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "\"v1\""])
    }

    /// The download is cancelled as soon as the body exceeds the limit.
    @Test(.requirement("O92")) func bodyOverMaxResponseBytesClosesTheConnection() async throws {
        let origin = try await LoopbackOrigin { _ in
            RealServerBench.image(TestImage.first + [UInt8](repeating: 0, count: 8 << 20)) { $0.framing = .chunked }
        }
        let bench = try RealServerBench { $0.maxResponseBytes = 100_000 }

        #expect(await bench.failure(ImageRequest(url: origin.url())) == .bodyTooLarge)
        await origin.waitForClosedConnections(1)
    }

    @Test(.requirement("O88")) func dataIsLoadedFromTheServerEachTimeWithoutACacheDirectory() async throws {
        let origin = try await LoopbackOrigin { .ok([UInt8($0.number)]) }
        let bench = try RealServerBench {
            $0.cacheDirectory = nil
            $0.dataDirectory = nil
        }

        let loads = [
            try await bench.loader.data(for: DataRequest(url: origin.url())),
            try await bench.loader.data(for: DataRequest(url: origin.url())),
        ]

        #expect(loads.map(\.bytes) == [[0], [1]])
        #expect(loads.allSatisfy { !$0.isStored })
        #expect(bench.folder.files.isEmpty)
    }
}
