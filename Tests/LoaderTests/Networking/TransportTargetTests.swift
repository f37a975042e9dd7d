import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Request targets are sent byte for byte, over HTTP/1.1 and HTTP/2.
@Suite(.timeLimit(.minutes(30))) struct TransportTargetTests {
    /// Bytes that RFC 3986 allows in a path or query.
    private static let allowed = Array(
        "abcxyzABCXYZ0189-._~!$&'()*+,;=:@/?".utf8)

    /// A path and query of allowed bytes and escapes, with many of the sequences that clients rewrite.
    private static func target(_ random: inout SplitMix) -> String {
        let pieces = [
            "/../", "/./", "//", "/..", "%2e%2E", "%2F", "%00", "%ff", "%C3%A9", "?", "??", "&&", "=", "+", "%20",
            "%25", "/%2e/",
        ]
        var text = "/"
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            if Bool.random(using: &random), let piece = pieces.randomElement(using: &random) {
                text += piece
            } else {
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    text.unicodeScalars.append(Unicode.Scalar(allowed.randomElement(using: &random) ?? 0x61))
                }
            }
        }
        return text
    }

    @Test(arguments: [false, true]) func generatedTargetsAreSentByteForByte(_ speaksHTTP2: Bool) async throws {
        let certificate = speaksHTTP2 ? try OriginCertificate() : nil
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in .ok([1]) }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate?.pem].compactMap { $0 }
        var random = SplitMix(seed: 3986)
        let targets = (0..<(speaksHTTP2 ? 2_000 : 10_000)).map { _ in Self.target(&random) }

        for target in targets {
            let reply = try await TransportFixture.get(origin.url(target), with: transport, trust: trust)
            #expect(reply.head.status == 200)
        }

        let sent = origin.requests
        #expect(sent.count == targets.count)
        for (request, target) in zip(sent, targets) where request.target != target {
            Issue.record("\(target) was sent as \(request.target)")
        }
        #expect(sent.allSatisfy { $0.isHTTP2 == speaksHTTP2 })
        #expect(origin.connectionCount == 1)
    }

    @Test func bytesThatAURLCannotContainAreEscapedAndEscapesAreRetained() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)
        let allowed = Set(Self.allowed).union("defghijklmnopqrstuvwDEFGHIJKLMNOPQRSTUVW234567".utf8)
        var expected: [String] = []

        for byte in UInt8(1)...0x7F where byte != UInt8(ascii: "#") {
            let text = "/a\(Character(Unicode.Scalar(byte)))b?c"
            let hex = String(byte, radix: 16, uppercase: true)
            let isSent = allowed.contains(byte)
            expected.append(isSent ? text : "/a%\(byte < 16 ? "0" : "")\(hex)b?c")
            _ = try await TransportFixture.get(origin.url(text), with: transport)
        }

        #expect(origin.requests.map(\.target) == expected)
    }

    @Test(arguments: [
        ("", "/"), ("?a", "/?a"), ("#f", "/"), ("/#f?x", "/"), ("/a#", "/a"), ("?#", "/?"), ("/a?b#c#d", "/a?b"),
    ])
    func fragmentIsNotSentAndAnEmptyPathIsASlash(_ rest: String, _ sent: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let url = String(origin.url("/").dropLast()) + rest

        _ = try await TransportFixture.get(url, with: CurlTransport(proxy: .none))

        #expect(origin.requests.map(\.target) == [sent])
    }

    @Test func fieldsOfAnyValidBytesAreSentUnchangedInTheirOrder() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let every = String(String.UnicodeScalarView((0x20...0x7E).compactMap { Unicode.Scalar(UInt8($0)) }))
        let fields: HeaderFields = [
            "X-Every": "x\(every)x", "X-Tab": "a\tb", "X-Empty": "", "X-Text": "größe 画像 🖼", "X-Colon": "a:b;c",
            "User-Agent": "test", "Accept-Encoding": "gzip;q=0.5, *;q=0", "Range": "bytes=0-1", "Cookie": "a=b",
            "Referer": "http://x/", "TE": "trailers", "!#$%&'*+-.^_`|~": "token", "X-Repeated": "1", "x-repeated": "2",
        ]

        _ = try await TransportFixture.get(origin.url(), with: CurlTransport(proxy: .none), fields: fields)

        let lines = fields.lines.map { line -> String in
            "\(line.name):\(line.value.isEmpty ? "" : " \(String(decoding: line.value, as: UTF8.self))")\r\n"
        }
        let head = String(decoding: origin.requests[0].head, as: UTF8.self)
        #expect(head == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\(lines.joined())\r\n")
    }

    @Test(arguments: ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get", "X-OWN"])
    func methodsOtherThanGETAreSentUnchanged(_ method: String) async throws {
        let origin = try await LoopbackOrigin { request in
            request.method == "HEAD"
                ? .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n".utf8)) : .ok([1])
        }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)

        // Twice, and a GET between: a reused transfer keeps nothing of the previous request.
        for _ in 0..<2 {
            let request = HTTPRequest(method: method, url: origin.url())
            let response = try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
            let body = try await response.body.reduce(into: [UInt8]()) { $0 += $1 }
            #expect(body == (method == "HEAD" ? [] : [1]))
            #expect(try await TransportFixture.get(origin.url(), with: transport).body == [1])
        }

        #expect(origin.requests.map(\.method) == [method, "GET", method, "GET"])
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: ["", "G T", "GET\r\nX: 1", "GE\u{0}T", "größe"])
    func methodThatIsNoTokenIsRejected(_ method: String) async throws {
        let request = HTTPRequest(method: method, url: "http://127.0.0.1:1/")

        await #expect(throws: LoadError.configuration("")) {
            try await CurlTransport(proxy: .none).send(
                request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }
    }
}
