import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Secrets must not reach logs, errors, events and records. Every input of these tests contains a secret; every output
/// is searched for it.
@Suite struct SecretTests {
    private static let user = "userSECRET1"
    private static let secrets = [
        user, "passSECRET2", "querySECRET3", "fragmentSECRET4", "tokenSECRET5", "cookieSECRET6", "basicSECRET7",
        "proxySECRET8", "signedSECRET9",
        // `loader:basicSECRET7`
        "bG9hZGVyOmJhc2ljU0VDUkVUNw==",
    ]
    private static let credentials = "\(user):passSECRET2@"
    private static let query = "?key=querySECRET3&querySECRET3&w=1"
    private static let address = "http://\(credentials)example.com/a.png\(query)#fragmentSECRET4"
    private static let fields: HeaderFields = [
        "Authorization": "Bearer tokenSECRET5", "Cookie": "a=1; session=cookieSECRET6",
        "Proxy-Authorization": "Basic proxySECRET8",
    ]

    /// An error whose description contains the complete request.
    private struct RequestRevealingError: Error, CustomStringConvertible {
        let description: String

        init(_ request: HTTPRequest) {
            let lines = request.fields.lines.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
            description = "GET \(request.url) failed: \(lines.joined(separator: ", "))"
        }
    }

    /// A transport that always fails with the given error.
    private struct FailingTransport: HTTPTransport {
        let error: @Sendable (HTTPRequest) -> any Error

        func validate(_ trust: TrustSettings) throws(LoadError) {}

        func send(
            _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
        ) async throws -> HTTPResponse { throw error(request) }
    }

    private struct SecretCase {
        var name: String
        var transport: any HTTPTransport = ScriptedTransport(.image(TestImage.first))
        var request = ImageRequest(url: address, fields: fields)
        var change: (inout ImageLoader.Configuration) -> Void = { _ in }
        /// The code that the load must fail with; nil for a success.
        var code: String?
    }

    private static func scripted(_ name: String, _ reply: ScriptedReply, _ code: String?) -> SecretCase {
        SecretCase(name: name, transport: ScriptedTransport(reply), code: code)
    }

    private static func imageReply(_ change: (inout ScriptedReply) -> Void) -> ScriptedReply {
        var reply = ScriptedReply.image(TestImage.first)
        change(&reply)
        return reply
    }

    private static var cases: [SecretCase] {
        var cases = [
            SecretCase(
                name: "error of another type", transport: FailingTransport { RequestRevealingError($0) },
                code: "transport"),
            SecretCase(
                name: "transport error",
                transport: FailingTransport { LoadError.transport("\(RequestRevealingError($0))", url: $0.url) },
                code: "transport"),
            SecretCase(
                name: "TLS error",
                transport: FailingTransport { LoadError.tls("\(RequestRevealingError($0))", url: $0.url) }, code: "tls"
            ),
            SecretCase(
                name: "configuration error",
                transport: FailingTransport { LoadError.configuration("\(RequestRevealingError($0))") },
                code: "configuration"),
            scripted("success", .image(TestImage.first), nil), scripted("404", .status(404), "http"),
            scripted("503", .status(503, ["Retry-After": "5"]), "http"),
            scripted("204", .status(204), "unexpectedStatus"),
            scripted("redirect loop", .status(302, ["Location": "/a.png\(query)"]), "redirect"),
            scripted(
                "redirect to another scheme", .status(302, ["Location": "ftp://\(credentials)h/\(query)"]), "redirect"),
            scripted("redirect without host", .status(302, ["Location": "http://\(credentials)/\(query)"]), "redirect"),
            scripted("redirect with a control character", .status(302, ["Location": "/\u{1}\(query)"]), "redirect"),
            scripted("redirect without Location", .status(302), "redirect"),
            scripted(
                "unaccepted type", imageReply { $0.fields = ["Content-Type": "text/html"] }, "unacceptableContentType"),
            scripted("truncated body", imageReply { $0.ending = .closed }, "transport"),
            scripted(
                "undecodable image",
                imageReply {
                    $0.chunks = [[0x89, 0x50, 0x4E, 0x47]]; $0.fields = [:]
                }, nil),
        ]
        cases[cases.count - 1].code = "*"
        var large = scripted("too large", .image(TestImage.first), "bodyTooLarge")
        large.change = { $0.maxResponseBytes = 10 }
        var wide = scripted("too many pixels", .image(TestImage.first), "pixelLimit")
        wide.change = { $0.maxDecodedBytes = 4 }
        var signed = SecretCase(
            name: "signed request", transport: FailingTransport { RequestRevealingError($0) }, code: "transport")
        signed.change = {
            $0.requestModifier = { request in
                var request = request
                request.url += "&signature=signedSECRET9"
                request.fields = ["Authorization": "Signature signedSECRET9"]
                return request
            }
        }
        var unsigned = SecretCase(name: "modifier error", code: "configuration")
        unsigned.change = { $0.requestModifier = { throw RequestRevealingError($0) } }
        var basic = SecretCase(
            name: "basic auth", transport: FailingTransport { RequestRevealingError($0) },
            request: ImageRequest(url: "http://example.com/a.png\(query)"), code: "transport")
        basic.change = { $0.basicAuth = try? BasicAuth(user: "loader", password: "basicSECRET7") }
        var missing = SecretCase(name: "not in cache", code: "notInCache")
        missing.request.policy = .cacheOnly
        var remembered = scripted("remembered", .status(404), "remembered")
        remembered.change = { $0.negativeCacheMaxAge = .seconds(60) }
        let addresses = [
            ("http://\(credentials)/\(query)", "invalidURL"), ("\(credentials)example.com/\(query)", "*"),
            ("ftp://\(credentials)example.com/\(query)", "unsupportedScheme"),
            ("http:/\(credentials)\(query)", "invalidURL"),
        ]
        return cases + [large, wide, signed, unsigned, basic, missing, remembered]
            + addresses.map { SecretCase(name: $0.0, request: ImageRequest(url: $0.0, fields: fields), code: $0.1) }
    }

    @Test(.requirement("O97")) func noSecretAppearsInErrorsOrEventsOrRecordsOrLogs() async throws {
        for row in Self.cases {
            let listener = ReportListener()
            let folder = try DiskFolder()
            var configuration = ImageLoader.Configuration(cacheDirectory: folder.path + "/images")
            configuration.dataDirectory = folder.path + "/data"
            configuration.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero)
            listener.listen(&configuration)
            row.change(&configuration)
            let loader = try ImageLoader(configuration: configuration, transport: row.transport)

            var said: [String] = []
            var code: String?
            // Two loads, so that a failure from the negative cache is also reported.
            for _ in 1...2 {
                do throws(LoadError) {
                    _ = try await loader.image(for: row.request)
                } catch {
                    code = error.code.description
                    said += [
                        "\(error)", error.message, error.url ?? "", String(reflecting: error), "\(error as any Error)",
                    ]
                }
            }
            await loader.removeImage(for: row.request)
            await loader.flush()

            if row.code == "*" { #expect(code != nil, "\(row.name)") } else { #expect(code == row.code, "\(row.name)") }
            #expect(!listener.events.isEmpty && !listener.lines.isEmpty, "\(row.name)")
            #expect(listener.records.count == 2, "\(row.name)")
            said += listener.events.map { "\($0)" } + listener.records.map { "\($0)" } + listener.lines.map { "\($0)" }
            for line in said {
                for secret in Self.secrets { #expect(!line.contains(secret), "\(row.name): \(line)") }
            }
        }
    }

    @Test(.requirement("O97")) func secretsOfTheRequestAreMaskedInAnErrorMessage() {
        let request = HTTPRequest(
            url: "https://h/a?k=v1&sig=abc%20def",
            fields: [
                "Authorization": "Digest user=\"longname\", x=\"y\"", "Cookie": "a=1; b=longvalue", "X": "plain",
                "X-Api-Key": "longkey",
            ])
        let table = [
            ("no connection", "no connection"), ("of https://h/a?k=v1&sig=abc%20def now", "of https://h/a?*** now"),
            ("user=\"longname\"", "user=\"***\""), ("b=longvalue!", "***!"), ("longvalue", "***"),
            ("plain 1", "plain 1"),
            ("a=1; b=longvalue", "***"), ("[\"longkey\"]", "[\"***\"]"),
        ]
        for (message, cleaned) in table { #expect(Redaction.maskingSecrets(in: message, of: request) == cleaned) }
        #expect(Redaction.maskingSecrets(in: "k=v1", of: HTTPRequest(url: "https://h/a")) == "k=v1")
        // Short field values are not masked in messages, because they are parts of many words.
        let short = HTTPRequest(url: "https://h/a?e", fields: ["X": "e"])
        #expect(Redaction.maskingSecrets(in: "refused: https://h/a?e", of: short) == "refused: https://h/a?***")
        // A line break in a value appears as an escape sequence.
        let lines = HTTPRequest(
            url: "https://h/a", fields: ["Authorization": "Bearer longkey\n", "Cookie": "a=longvalue\r\n"])
        #expect(
            Redaction.maskingSecrets(in: #"["Bearer longkey\n", "a=longvalue\r\n"]"#, of: lines)
                == #"["*** ***\n", "***\r\n"]"#)
    }

    @Test(.requirement("O97")) func urlInReportsIsTheResultOfTheRedactURLHook() async throws {
        let listener = ReportListener()
        let asked = Locked<[String]>([])
        let bench = try LoaderBench(ScriptedTransport(.status(404))) { configuration in
            listener.listen(&configuration, to: .error)
            configuration.redactURL = { url in
                asked.update { $0.append(url) }
                return Redaction.hidingQueryValues(url)
            }
        }
        await bench.load("http://\(Self.credentials)example.com/a?w=1&key=2#f")
        await bench.loader.flush()

        #expect(listener.events.map(\.url) == ["http://example.com/a?w=***&key=***"])
        #expect(listener.lines.map { $0.metadata["url"] } == ["http://example.com/a?w=***&key=***"])
        #expect(listener.records.map(\.url) == ["http://example.com/a?w=***&key=***"])
        // `redactURL` receives URLs without a password.
        #expect(Set(asked.value) == ["http://example.com/a?w=1&key=2"])
    }

    @Test(.requirement("O97")) func redactURLHookCannotExposePasswordsOrLineBreaks() async throws {
        let table = [
            ("http://u:p@h/x", "http://h/x"), ("u:p@h", "***"), ("[hidden]", "[hidden]"), ("a\nb", "a?b"),
            ("http://h/?a=b", "http://h/?a=b"),
        ]
        for (answer, shown) in table {
            let listener = ReportListener()
            let bench = try LoaderBench(ScriptedTransport(.status(404))) { configuration in
                listener.listen(&configuration, to: .error)
                configuration.redactURL = { _ in answer }
            }
            await bench.load()
            await bench.loader.flush()
            #expect(listener.events.map(\.url) == [shown])
        }
    }
}
