import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// The description of a value with a URL is one line without secrets.
@Suite(.requirement("N5")) struct RequestDescriptionTests {
    private static let url = "https://userSECRET:passSECRET@example.com/a.png?token=querySECRET#fragmentSECRET"
    private static let fields: HeaderFields = [
        "Authorization": "Bearer tokenSECRET", "Cookie": "a=cookieSECRET", "Accept-Language": "de",
        "X-API-Key": "keySECRET",
    ]

    private static var image: ImageRequest {
        var request = ImageRequest(url: url, fields: fields, policy: .reload)
        request.partition = "partitionSECRET"
        request.cacheKey = "https://userSECRET@names.example/b.png?key=querySECRET"
        request.priority = .slow
        request.decodeOptions.page = 3
        return request
    }

    private static var data: DataRequest {
        var request = DataRequest(url: url, fields: fields)
        request.partition = "partitionSECRET"
        request.cacheKey = "https://userSECRET@names.example/b.png?key=querySECRET"
        return request
    }

    private struct Holder { let value: Any }

    /// All ways to print a value: directly, inside other values, and by reflection.
    private static func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var held = ""
        dump(Holder(value: value), to: &held)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, held, "\([value])",
            "\(Optional(value) as Any)", "\(["a": value])", "\(Holder(value: value))",
        ]
    }

    private static func expectRedacted(_ value: Any, shows parts: [String], maxLength: Int = 300) {
        let name = "\(type(of: value))"
        for text in texts(value) {
            #expect(!text.contains("SECRET"), "\(name): \(text)")
            // The bytes of `SEC` in the description of a `[UInt8]`.
            #expect(!text.contains("83, 69, 67"), "\(name): \(text)")
            #expect(!text.contains("83\\n"), "\(name): \(text)")
        }
        let line = "\(value)"
        #expect(!line.contains("\n") && line.utf8.count <= maxLength, "\(name): \(line)")
        for part in parts { #expect(line.contains(part), "\(name): \(line)") }
    }

    @Test(.requirement("N5")) func imageRequestDescriptionIsOneRedactedLine() {
        Self.expectRedacted(
            Self.image, shows: ["https://example.com/a.png?***", "reload", "slow", "Authorization", "Accept-Language"])
        #expect("\(ImageRequest(url: "https://example.com/a.png"))" == "ImageRequest(https://example.com/a.png)")
    }

    @Test(.requirement("N5")) func dataRequestDescriptionIsOneRedactedLine() {
        Self.expectRedacted(Self.data, shows: ["https://example.com/a.png?***", "Authorization"])
        #expect("\(DataRequest(url: "https://example.com/a.png"))" == "DataRequest(https://example.com/a.png)")
    }

    @Test(.requirement("N5")) func invalidURLInARequestDescriptionIsPrintedWithoutSecrets() {
        for url in ["userSECRET:passSECRET@host", "https:userSECRET@x", "ftp://a:passSECRET@b/", "//passSECRET@h"] {
            Self.expectRedacted(ImageRequest(url: url), shows: [])
            Self.expectRedacted(DataRequest(url: url), shows: [])
        }
    }

    @Test(.requirement("N5")) func httpRequestAndResponseDescriptionsAreRedacted() {
        Self.expectRedacted(
            HTTPRequest(url: Self.url, fields: Self.fields), shows: ["GET https://example.com/a.png?***"])
        let head = ResponseHead(status: 200, fields: ["Set-Cookie": "a=cookieSECRET", "ETag": "\"1\""])
        Self.expectRedacted(head, shows: ["200", "ETag"])
        Self.expectRedacted(HTTPResponse(head: head, body: HTTPBody { nil }), shows: ["200"])
    }

    @Test(.requirement("N5")) func headerFieldDescriptionsHideCredentials() {
        let fields: HeaderFields = ["Authorization": "Bearer tokenSECRET", "Set-Cookie": "cookieSECRET", "ETag": "1"]
        Self.expectRedacted(fields, shows: ["Authorization: ***", "ETag: 1"])
        for line in fields.lines { Self.expectRedacted(line, shows: [line.name]) }
    }

    @Test(.requirement("N5")) func errorDescriptionsAreRedacted() async throws {
        let reply = ScriptedReply(
            status: 403, fields: ["Set-Cookie": "cookieSECRET", "Content-Type": "text/plain"],
            chunks: [Array("bodySECRET".utf8)])
        let bench = try LoaderBench(reply)
        let error = try #require(await bench.failure(Self.image))
        #expect(error.response?.body == Array("bodySECRET".utf8))

        Self.expectRedacted(error, shows: ["http 403", "https://example.com/a.png?***"])
        Self.expectRedacted(try #require(error.response), shows: ["403", "10 bytes"])
        Self.expectRedacted(LoadEvent.finished(.failure(error)), shows: ["http 403"], maxLength: 600)
    }

    @Test(.requirement("N5")) func loadedImageAndDataDescriptionsAreOneLine() async throws {
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.fields.append("Set-Cookie", "cookieSECRET")
        let bench = try LoaderBench(reply) {
            $0.retainsEncodedData = true
            $0.acceptedContentTypes = []
        }
        let image = try await bench.loader.image(for: Self.image)
        let data = try await bench.loader.data(for: Self.data)

        Self.expectRedacted(image, shows: ["19 x 13", "network"])
        Self.expectRedacted(data, shows: ["506 bytes", "disk"])
        Self.expectRedacted(LoadEvent.cached(image), shows: ["19 x 13"])
        #expect("\(data)".utf8.count < 200 && !"\(data)".contains("["))
    }

    @Test(.requirement("N5")) func cacheKeyAndEntryDescriptionsAreRedacted() throws {
        let key = try #require(CacheKey(url: Self.url, partition: "partitionSECRET"))
        let vary = [VaryValue(name: "cookie", value: Array("cookieSECRET".utf8))]
        let response = StoredResponse(
            status: 200, fields: ["Set-Cookie": "cookieSECRET"], requestTime: .now, responseTime: .now, createdAt: .now,
            vary: vary)
        Self.expectRedacted(key, shows: ["https://example.com/a.png?***"])
        Self.expectRedacted(vary[0], shows: ["cookie"])
        Self.expectRedacted(response, shows: ["200"])
        Self.expectRedacted(CacheEntry(key: key, response: response), shows: ["https://example.com/a.png?***"])
    }

    @Test(.requirement("N5")) func configurationDescriptionIsOneLineOfNonDefaultValues() throws {
        var configuration = ImageLoader.Configuration(cacheDirectory: "/tmp/pictures")
        configuration.basicAuth = try BasicAuth(user: "loader", password: "passSECRET")
        configuration.additionalTrustRoots = ["pemSECRET"]
        configuration.requestModifier = { $0 }
        configuration.isSharedCache = true
        configuration.decodeLimits.maxPixels = 1_000

        Self.expectRedacted(
            configuration,
            shows: ["/tmp/pictures", "isSharedCache: true", "maxPixels: 1000", "basicAuth: loader:***"],
            maxLength: 1_000)
        #expect("\(ImageLoader.Configuration())" == "Configuration()")
    }

    @Test(.requirement("N5")) func eventAndRecordDescriptionsAreOneRedactedLine() async throws {
        let events = Locked<[LoaderEvent]>([])
        let records = Locked<[LoadRecord]>([])
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first))) {
            $0.eventSink = { event in events.update { $0.append(event) } }
            $0.recordSink = { record in records.update { $0.append(record) } }
            $0.eventCategories = .all
        }
        _ = try await bench.loader.image(for: Self.image)
        await bench.loader.flush()

        #expect(!events.value.isEmpty && records.value.count == 1)
        for event in events.value { Self.expectRedacted(event, shows: ["https://example.com/a.png"]) }
        for record in records.value { Self.expectRedacted(record, shows: ["https://example.com/a.png", "network"]) }
        Self.expectRedacted(try #require(bench.loader.diskStatistics), shows: ["stores: 1"])
        var settings = CacheSettings()
        settings.isSharedCache = true
        #expect("\(settings)" == "CacheSettings(isSharedCache: true)")
        #expect("\(TrustSettings())" == "TrustSettings()")
    }

    @Test(.requirement("N5")) func proxyDescriptionHidesThePassword() {
        let credentials = ProxyServer.Credentials(user: "proxy", password: "passSECRET")
        let server = ProxyServer(host: "proxy.example", port: 8080, credentials: credentials)
        Self.expectRedacted(credentials, shows: ["proxy:***"])
        Self.expectRedacted(server, shows: ["proxy.example:8080"])
    }
}
