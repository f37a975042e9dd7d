#if AsyncHTTPClient
import LoopbackOrigin
import Testing

@testable import Loader

@Suite(.timeLimit(.minutes(30))) struct TransportRequestTests {
    private let transport = AsyncHTTPClientTransport(proxy: .none)

    @Test func theHeadOnTheWireIsHostAndTheRequest() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let fields: HeaderFields = [
            "X-B": "2", "Accept": "image/*", "x-a": "1", "X-B": "größe", "If-None-Match": "W/\"a\", \"b\"",
            "Authorization": "Basic YTpi",
        ]

        _ = try await TransportFixture.get(origin.url("/p?q=1"), with: transport, fields: fields)

        let head = String(decoding: origin.requests[0].head, as: UTF8.self)
        let lines = fields.lines.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))\r\n" }.joined()
        #expect(head == "GET /p?q=1 HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\(lines)\r\n")
    }

    @Test(arguments: [
        "/", "/a%2Fb", "/a/../b", "/a/./b", "//a//b", "/?", "/?a=1&&b", "/?%41=%c3%A9", "/%7Euser", "/a+b", "/a;b=c,d",
        "/?u=http://x/y?z", "/a:b@c", "/!$&'()*+,;=",
    ])
    func theTargetIsSentAsItIsWritten(_ target: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        _ = try await TransportFixture.get(origin.url(target), with: transport)

        #expect(origin.requests.map(\.target) == [target])
    }

    @Test(arguments: [
        ("/?a[]=1&b={c}", "/?a%5B%5D=1&b=%7Bc%7D"), ("/a b", "/a%20b"), ("/größe%20", "/gr%C3%B6%C3%9Fe%20"),
        ("/100%?%4", "/100%25?%254"), ("/a%zz%41", "/a%25zz%41"), ("/\t\"<>\\^`|", "/%09%22%3C%3E%5C%5E%60%7C"),
    ])
    func whatMayNotBeInAnAddressIsEscaped(_ target: String, _ sent: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        _ = try await TransportFixture.get(origin.url(target), with: transport)

        #expect(origin.requests.map(\.target) == [sent])
    }

    @Test(arguments: [
        ("http://h", "h"), ("http://h:/", "h"), ("http://h:80/", "h"), ("https://h:443", "h"), ("https://h:80", "h:80"),
        ("http://u:p@h:81/", "h:81"), ("http://[::1]", "[::1]"), ("HTTP://[::1]:81/a:b", "[::1]:81"),
        ("http://h:0", nil), ("http://h:65536", nil), ("http://", nil), ("ftp://h", nil), ("h", nil),
    ])
    func theHostFieldIsThatOfTheAddress(_ url: String, _ host: String?) {
        #expect(AsyncHTTPClientTransport.hostField(of: url) == host)
    }

    @Test(arguments: [[0xE9], [0xFF, 0x41]] as [[UInt8]])
    func aValueThatCannotBeSentIsRefusedAndNotAltered(_ value: [UInt8]) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let request = HTTPRequest(url: origin.url(), fields: HeaderFields([HeaderField("X", bytes: value)]))

        await #expect(throws: LoadError.configuration("")) {
            try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test(arguments: [("X\r\nY", "1"), ("X", "1\r\nY: 2"), ("X", "1\nY"), ("X", "\u{0}"), ("", "1"), ("X Y", "1")])
    func aFieldThatWouldBreakTheHeadIsRefused(_ name: String, _ value: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let request = HTTPRequest(url: origin.url(), fields: HeaderFields([HeaderField(name, value)]))

        await #expect(throws: LoadError.configuration("")) {
            try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func connectionsAreUsedAgainAndNoMoreAreOpenedThanAllowed() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1, 2, 3]) }
        let transport = AsyncHTTPClientTransport(proxy: .none, connectionsPerHost: 3)

        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<200 {
                group.addTask { try await TransportFixture.get(origin.url(), with: transport).body }
            }
            for try await body in group { #expect(body == [1, 2, 3]) }
        }

        #expect(origin.requests.count == 200)
        #expect(origin.connectionCount <= 3)
    }

    @Test func aRequestThatWaitsForABusyConnectionOutlivesTheConnectTimeout() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { request in
            var response = OriginResponse(body: [7])
            if request.number == 0 { response.gate = gate }
            return .response(response)
        }
        let transport = AsyncHTTPClientTransport(proxy: .none, connectionsPerHost: 1)
        var timeouts = TransportFixture.patient
        timeouts.connect = .seconds(5)
        let busy = Task { [timeouts] in
            try await TransportFixture.get(origin.url("/1"), with: transport, timeouts: timeouts).body
        }
        await origin.waitForRequests(1)
        let waiting = Task { [timeouts] in
            try await TransportFixture.get(origin.url("/2"), with: transport, timeouts: timeouts).body
        }

        // A third request fails by its total time, which is longer than the connect timeout: so long the second waited.
        var short = timeouts
        short.total = .seconds(7)
        let error = await TransportFixture.failure(origin.url("/3"), with: transport, timeouts: short)
        gate.open()

        #expect(error?.code == .transport)
        #expect(try await busy.value == [7])
        #expect(try await waiting.value == [7])
        #expect(origin.requests.map(\.target) == ["/1", "/2"])
    }
}
#endif
