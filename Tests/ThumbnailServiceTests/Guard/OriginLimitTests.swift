import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Origins that are slow, or that send excessive header, chunk or trailer data.
@Suite(.timeLimit(.minutes(30))) struct OriginLimitTests {
    private func transport(_ origin: LoopbackOrigin, minRate: TransferRate = TransferRate()) throws -> GuardedTransport
    {
        GuardedTransport(
            policy: try GuardFixture.policy(port: origin.port),
            resolver: GuardFixture.ScriptedResolver(["127.0.0.1"]), minRate: minRate)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Lines of 200 bytes.
    private static func lines(_ count: Int) -> String {
        String(repeating: "X-Filler: " + String(repeating: "x", count: 188) + "\r\n", count: count)
    }

    /// The bytes that the origin sends before it stalls and leaves the connection open.
    static let floods: [(name: String, bytes: [UInt8])] = [
        ("many fields", text("HTTP/1.1 200 OK\r\n" + lines(200) + "Content-Length: 1\r\n\r\nx")),
        ("a header section without an end", text("HTTP/1.1 200 OK\r\n" + lines(200))),
        ("one long field", text("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 40_000) + "\r\n")),
        // libcurl holds a line without an end up to 102,400 bytes.
        ("a field without an end", text("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 110_000))),
        ("interim responses", text(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 2_000))),
        (
            "a long chunk extension",
            text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "x", count: 200_000))
        ),
        (
            "many trailers",
            text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
                + text(lines(2_000))
        ),
    ]

    @Test(.requirement("SV21"), arguments: floods.indices)
    func responseWithExcessiveHeadersOrChunkExtensionsOrTrailersFails(flood: Int) async throws {
        let origin = try await LoopbackOrigin { _ in .raw(Self.floods[flood].bytes) }

        let result = await GuardFixture.get(origin.url(), with: try transport(origin))

        #expect(result.reason == .originFailed, "\(Self.floods[flood].name)")
        await origin.waitForClosedConnections(1)
        await origin.stop()
    }

    @Test(.requirement("SV21")) func responseWithUsualHeadersAndChunksAndTrailersIsAccepted() async throws {
        let chunks = (0..<20_000).map { _ in "1\r\nx\r\n" }.joined()
        let answers = [
            "/fields": "HTTP/1.1 200 OK\r\n" + Self.lines(160) + "Content-Length: 1\r\n\r\nx",
            "/interim": String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 5)
                + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            "/chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\nX-Trailer: 1\r\n\r\n",
        ]
        let origin = try await LoopbackOrigin { .raw(Self.text(answers[$0.target] ?? "")) }
        let transport = try transport(origin)

        for (path, count) in [("/fields", 1), ("/interim", 1), ("/chunks", 20_000), ("/fields", 1)] {
            let body = try await GuardFixture.get(origin.url(path), with: transport).get()
            #expect(body.count == count, "\(path)")
        }
        await origin.stop()
    }

    @Test(.requirement("SV21")) func responseAfterExcessiveInterimResponsesOfAnHTTP2OriginFails() async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { request in
            var response = OriginResponse(body: [1])
            let count = request.target == "/many" ? 100 : 5
            response.interim = Array(repeating: (103, [OriginField("Link", "</a>")]), count: count)
            return .response(response)
        }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]
        let transport = try transport(origin)

        let many = await GuardFixture.get(origin.url("/many", host: "localhost"), with: transport, trust: trust)
        let few = await GuardFixture.get(origin.url("/few", host: "localhost"), with: transport, trust: trust)

        #expect(many.reason == .originFailed)
        #expect(few == .success([1]))
        // HTTP/2 is used for trusted origins only.
        #expect(origin.requests.allSatisfy { !$0.isHTTP2 })
        await origin.stop()
    }

    @Test(.requirement("SV20")) func requestToAStalledOriginEndsWithOriginTimeout() async throws {
        let origin = try await LoopbackOrigin { request in
            if request.target == "/head" { return .silence }
            var response = OriginResponse(body: Array(repeating: 1, count: 1_000))
            response.failure = (after: 10, .silence)
            return .response(response)
        }
        let transport = try transport(origin)
        var idle = GuardFixture.noTimeouts
        idle.idle = .milliseconds(50)
        var total = GuardFixture.noTimeouts
        total.total = .milliseconds(50)

        for path in ["/head", "/body"] {
            for timeouts in [idle, total] {
                let result = await GuardFixture.get(origin.url(path), with: transport, timeouts: timeouts)
                #expect(result.reason == .originTimeout, "\(path)")
            }
        }
        await origin.stop()
    }

    @Test(.requirement("SV20")) func bodyBelowTheMinimumRateEndsWithOriginTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(Array(repeating: 1, count: 1_000)) }
        let impossible = TransferRate(bytesPerSecond: .max, window: .nanoseconds(1))
        let any = TransferRate(bytesPerSecond: 0, window: .nanoseconds(1))

        let slow = await GuardFixture.get(origin.url(), with: try transport(origin, minRate: impossible))
        let fine = await GuardFixture.get(origin.url(), with: try transport(origin, minRate: any))

        #expect(slow.reason == .originTimeout)
        #expect(try fine.get().count == 1_000)
        await origin.stop()
    }

    @Test(.requirement("SV20")) func transferBelowTheMinimumRateInOneTimeWindowFails() {
        let rate = TransferRate(bytesPerSecond: 1_000, window: .seconds(5))
        /// `chunks`: the bytes of each chunk, and the milliseconds of the wait for it. `end`: the index of the first
        /// chunk at which `TransferRate.Meter` reports a rate below the minimum; nil for none.
        let table: [(name: String, chunks: [(Int, Int)], end: Int?)] = [
            ("exactly the rate", Array(repeating: (1_000, 1_000), count: 50), nil),
            ("one byte too few", [(1_000, 1_000), (1_000, 1_000), (1_000, 1_000), (1_000, 1_000), (999, 1_000)], 4),
            ("one byte per second", Array(repeating: (1, 1_000), count: 50), 4),
            ("a pause shorter than the window", [(0, 4_999), (10_000, 1)], nil),
            ("a fast window before a slow window", [(1_000_000, 5_000), (1, 5_000)], 1),
            ("one chunk of several windows, at the minimum rate", [(20_000, 20_000)], nil),
            ("one chunk of several windows, below the minimum rate", [(19_999, 20_000)], 0),
            ("fast", Array(repeating: (65_536, 1), count: 100), nil),
            ("empty chunks without a wait", Array(repeating: (0, 0), count: 100), nil),
        ]
        for row in table {
            var meter = TransferRate.Meter(rate)
            let end = row.chunks.firstIndex { !meter.add($0.0, waited: .milliseconds($0.1)) }
            #expect(end == row.end, "\(row.name)")
        }
    }
}
