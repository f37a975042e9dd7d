import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportRequestTests {
    private let transport = CurlTransport(proxy: .none)

    @Test func requestHeadContainsTheHostFieldAndTheCallerFieldsUnchanged() async throws {
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
        "/?u=http://x/y?z", "/a:b@c", "/!$&'()*+,;=", "/?a[]=1&b={c}", "/100%?%4", "/a%zz%41", "/\"<>\\^`|{}[]",
        "/caf%E9", "/%00%ff",
    ])
    func requestTargetIsSentUnchanged(_ target: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        _ = try await TransportFixture.get(origin.url(target), with: transport)

        #expect(origin.requests.map(\.target) == [target])
    }

    @Test(arguments: [
        ("/a b", "/a%20b"), ("/größe%20", "/gr%C3%B6%C3%9Fe%20"), ("/?a b=\u{7F}", "/?a%20b=%7F"),
        ("/\t\"<>\\^`|", "/%09\"<>\\^`|"), ("/100%?ä", "/100%?%C3%A4"),
    ])
    func charactersThatARequestLineCannotContainArePercentEncoded(_ target: String, _ sent: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        _ = try await TransportFixture.get(origin.url(target), with: transport)

        #expect(origin.requests.map(\.target) == [sent])
    }

    @Test(arguments: [
        ("http://h", "h"), ("http://h:/", "h"), ("http://h:80/", "h"), ("https://h:443", "h"), ("https://h:80", "h:80"),
        ("http://u:p@h:81/", "h:81"), ("http://[::1]", "[::1]"), ("HTTP://[::1]:81/a:b", "[::1]:81"),
        ("http://h:0", nil), ("http://h:65536", nil), ("http://", nil), ("ftp://h", nil), ("h", nil),
    ])
    func hostFieldIsDerivedFromTheURL(_ url: String, _ host: String?) {
        var text: [UInt8] = []
        HTTPTarget(url)?.appendHostField(to: &text)
        #expect(String(decoding: text, as: UTF8.self) == host ?? "")
    }

    @Test(arguments: [[0xE9], [0xFF, 0x41]] as [[UInt8]])
    func requestFieldValueThatIsNotUTF8IsRejected(_ value: [UInt8]) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let request = HTTPRequest(url: origin.url(), fields: HeaderFields([HeaderField("X", bytes: value)]))

        await #expect(throws: LoadError.configuration("")) {
            try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test(arguments: [("X\r\nY", "1"), ("X", "1\r\nY: 2"), ("X", "1\nY"), ("X", "\u{0}"), ("", "1"), ("X Y", "1")])
    func requestFieldWithALineBreakOrInvalidNameIsRejected(_ name: String, _ value: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let request = HTTPRequest(url: origin.url(), fields: HeaderFields([HeaderField(name, value)]))

        await #expect(throws: LoadError.configuration("")) {
            try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test(
        .requirement("O97"),
        arguments: ["Authorization", "X-Api-Key", "Cookie", "X Y"],
        ["secretkey\n", "a=secretkey\r\n", "secretkey\u{7F}"])
    func errorOfARejectedFieldDoesNotContainItsValue(_ name: String, _ value: String) async throws {
        let request = HTTPRequest(url: "http://127.0.0.1:1/", fields: HeaderFields([HeaderField(name, value)]))

        let error = await #expect(throws: LoadError.self) {
            try await transport.send(request, trust: TrustSettings(), timeouts: TransportFixture.patient)
        }

        #expect(error?.code == .configuration)
        #expect(error.map { !"\($0)".contains("secretkey") } == true)
    }

    @Test func concurrentRequestsOpenAtMostTheConfiguredNumberOfConnectionsPerHost() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1, 2, 3]) }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 3)

        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<200 {
                group.addTask { try await TransportFixture.get(origin.url(), with: transport).body }
            }
            for try await body in group { #expect(body == [1, 2, 3]) }
        }

        #expect(origin.requests.count == 200)
        #expect(origin.connectionCount <= 3)
    }

    @Test func requestWaitingForABusyConnectionIgnoresTheConnectTimeout() async throws {
        // On a busy machine, connecting may take longer than the connect timeout, so the test repeats with longer
        // timeouts. If the connect timeout also limited the wait for a free connection, every repetition would fail.
        for seconds in [1, 5, 25, 125] where try await waitsLongerThan(connectTimeoutSeconds: seconds) { return }
        Issue.record("no request that waited longer than the connect timeout got a response")
    }

    /// True when a request waits for a connection longer than the connect timeout and then succeeds; false also when
    /// the connection could not be made.
    private func waitsLongerThan(connectTimeoutSeconds seconds: Int) async throws -> Bool {
        let gate = OriginGate()
        defer { gate.open() }
        let origin = try await LoopbackOrigin { request in
            var response = OriginResponse(body: [7])
            if request.number == 0 { response.bodyGate = gate }
            return .response(response)
        }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)
        var timeouts = TransportFixture.patient
        timeouts.connect = .seconds(seconds)
        // The response head has arrived and the body is delayed, so the only connection is busy.
        let first = HTTPRequest(url: origin.url("/1"))
        let busy = try? await transport.send(first, trust: TrustSettings(), timeouts: timeouts)
        guard let busy else { return false }
        // An immediate task runs at once until it suspends, here when its request waits for the connection.
        let waiting = Task.immediate { [timeouts] in
            try await TransportFixture.get(origin.url("/2"), with: transport, timeouts: timeouts).body
        }

        // A third request fails after its total timeout; the second request has waited at least as long by the same
        // clock.
        var short = timeouts
        short.total = .seconds(seconds + 1)
        let begin = ContinuousClock.now
        let error = await TransportFixture.failure(origin.url("/3"), with: transport, timeouts: short)
        let isOutlived = ContinuousClock.now - begin >= .seconds(seconds + 1)
        gate.open()
        let body = try? await busy.body.reduce(into: [UInt8]()) { $0 += $1 }
        guard let answer = try? await waiting.value, body == [7], isOutlived else { return false }

        #expect(error?.code == .transport)
        #expect(answer == [7])
        // The third request is cancelled shortly after its error is reported. It may still be sent when the connection
        // becomes free, before or after the second.
        let targets = origin.requests.map(\.target)
        #expect(targets.first == "/1")
        #expect(targets.filter { $0 == "/2" } == ["/2"])
        return true
    }
}
