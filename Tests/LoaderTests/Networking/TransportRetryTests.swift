import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportRetryTests {
    private let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)

    /// The status or the error of a request.
    private enum Outcome: Equatable {
        case status(Int)
        case error(LoadError)
    }

    private func send(_ method: String, _ url: String, _ trust: TrustSettings = TrustSettings()) async -> Outcome {
        do {
            let request = HTTPRequest(method: method, url: url)
            let response = try await transport.send(request, trust: trust, timeouts: TransportFixture.patient)
            for try await _ in response.body {}
            return .status(response.head.status)
        } catch {
            return .error(error as? LoadError ?? .configuration("an error of another type"))
        }
    }

    @Test(arguments: [
        // Method, bytes sent before the connection closes, and whether the request is retried.
        ("GET", "", true), ("POST", "", false), ("HEAD", "", false), ("GET", "H", false),
        ("GET", "HTTP/1.1 103 Early\r\n\r\n", false), ("GET", "HTTP/1.1 200 OK\r\n", false),
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx", false),
    ])
    func onlyAGETOnAReusedConnectionClosedBeforeAnyResponseByteIsRetried(
        _ method: String, _ sent: String, _ isRepeated: Bool
    ) async throws {
        let origin = try await LoopbackOrigin { request in
            request.number == 1 ? .close(after: Array(sent.utf8)) : .ok([1])
        }

        #expect(await send("GET", origin.url("/first")) == .status(200))
        let status = await send(method, origin.url("/second"))

        #expect(status == (isRepeated ? .status(200) : .error(.transport(""))))
        #expect(origin.requests.map(\.indexOnConnection) == (isRepeated ? [0, 1, 0] : [0, 1]))
        #expect(origin.connectionCount == (isRepeated ? 2 : 1))
    }

    @Test func requestOnANewConnectionClosedWithoutAResponseFailsWithoutRetry() async throws {
        let origin = try await LoopbackOrigin { _ in .close() }

        #expect(await send("GET", origin.url()) == .error(.transport("")))
        #expect(origin.requests.count == 1)
    }

    @Test func connectionsClosedWhileIdleDoNotFailTheNextRequest() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }

        for _ in 0..<30 {
            let outcome = await send("GET", origin.url())
            #expect(outcome == .status(200))
            await origin.closeConnections()
        }
    }

    @Test func http2ConnectionsClosedWhileIdleDoNotFailTheNextRequest() async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in .ok([1]) }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        for _ in 0..<10 {
            let outcome = await send("GET", origin.url(), trust)
            #expect(outcome == .status(200))
            await origin.closeConnections()
        }
    }

    @Test(arguments: [OriginAction.refuseStream, .goAway])
    func refusedHTTP2StreamIsRetriedOnce(_ refusal: OriginAction) async throws {
        let certificate = try OriginCertificate()
        for refusals in 1...2 {
            let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { request in
                (1...refusals).contains(request.number) ? refusal : .ok([1])
            }
            var trust = TrustSettings()
            trust.additionalTrustRoots = [certificate.pem]

            #expect(await send("GET", origin.url("/first"), trust) == .status(200))
            let status = await send("GET", origin.url("/second"), trust)

            #expect(status == (refusals == 1 ? .status(200) : .error(.transport(""))))
            #expect(origin.requests.count == 3, "the request was not retried exactly once")
        }
    }

    @Test func refusedHTTP2StreamOfAPOSTIsNotRetried() async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in .refuseStream }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        #expect(await send("POST", origin.url(), trust) == .error(.transport("")))
        #expect(origin.requests.count == 1)
    }

    @Test(arguments: (0...12).filter { $0 != 7 })
    func http2StreamResetWithACodeOtherThanRefusedStreamIsNotRetried(_ code: Int) async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in
            .resetStream(code: code)
        }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        #expect(await send("GET", origin.url(), trust) == .error(.transport("")))
        #expect(origin.requests.count == 1)
    }

    /// RFC 9113 §7: HTTP_1_1_REQUIRED asks for the request over HTTP/1.1.
    @Test(arguments: ["GET", "POST"])
    func requestForWhichTheServerRequiresHTTP1IsRepeatedOverHTTP1OnlyForAGET(_ method: String) async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { request in
            request.isHTTP2 ? .resetStream(code: 13) : .ok([1])
        }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        let outcome = await send(method, origin.url(), trust)

        #expect(outcome == (method == "GET" ? .status(200) : .error(.transport(""))))
        #expect(origin.requests.map(\.isHTTP2) == (method == "GET" ? [true, false] : [true]))
    }
}
