import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

/// Each failure has a reason of its own.
@Suite(.timeLimit(.minutes(30))) struct TransportReasonTests {
    private let transport = CurlTransport(proxy: .none)

    @Test func unknownHostNameIsReported() async {
        let error = await TransportFixture.failure("http://nothing.invalid/", with: transport)

        #expect(error?.code == .transport)
        #expect(error?.reason == .unknownHost)
    }

    @Test func refusedConnectionIsReported() async {
        let error = await TransportFixture.failure("http://127.0.0.1:1/", with: transport)

        #expect(error?.reason == .connectionRefused)
        #expect(error?.isTimeout == false)
    }

    @Test func eachTimeoutIsReportedByItsName() async throws {
        let silent = try await LoopbackOrigin { _ in .silence }
        // A TLS client waits for an answer to its first message.
        let unanswered = "https://127.0.0.1:\(silent.port)/"
        let cases: [(url: String, change: (inout TransportTimeouts) -> Void, reason: LoadError.TransportReason)] = [
            (unanswered, { $0.connect = .milliseconds(100) }, .connectTimeout),
            (unanswered, { $0.total = .milliseconds(100) }, .totalTimeout),
            (silent.url(), { $0.idle = .milliseconds(100) }, .idleTimeout),
            (silent.url(), { $0.total = .milliseconds(100) }, .totalTimeout),
            (silent.url(), { ($0.idle, $0.total) = (.milliseconds(50), .seconds(3_600)) }, .idleTimeout),
            (silent.url(), { $0.total = .zero }, .totalTimeout),
        ]
        for (url, change, reason) in cases {
            var timeouts = TransportFixture.patient
            change(&timeouts)

            let error = await TransportFixture.failure(url, with: transport, timeouts: timeouts)

            #expect(error?.code == .transport)
            #expect(error?.isTimeout == true)
            #expect(error?.reason == reason)
        }
    }

    @Test func totalTimeoutOfARequestThatWaitsForAConnectionIsReported() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)
        let first = Task { await TransportFixture.failure(origin.url("/1"), with: transport) }
        await origin.waitForRequests(1)
        var timeouts = TransportFixture.patient
        timeouts.total = .milliseconds(100)

        let error = await TransportFixture.failure(origin.url("/2"), with: transport, timeouts: timeouts)

        #expect(error?.reason == .totalTimeout)
        #expect(origin.requests.map(\.target) == ["/1"])
        first.cancel()
        #expect(await first.value?.code == .cancelled)
    }

    @Test func eachReasonOfARejectedCertificateIsReported() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let expired = try OriginCertificate(notBefore: "200101000000Z", notAfter: "210203040506Z")
        let early = try OriginCertificate(notBefore: "480203040506Z")
        let other = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let cases: [(OriginCertificate, roots: [String], LoadError.TransportReason)] = [
            (try OriginCertificate(), [], .certificateSelfSigned),
            (try OriginCertificate(issuer: authority), [], .certificateUnknownIssuer),
            (expired, [expired.pem], .certificateExpired),
            (early, [early.pem], .certificateNotYetValid),
            (other, [other.pem], .certificateNameMismatch),
        ]
        for (certificate, roots, reason) in cases {
            let origin = try await LoopbackOrigin(certificate: certificate) { _ in .ok([1]) }
            var trust = TrustSettings()
            trust.additionalTrustRoots = roots

            let error = await TransportFixture.failure(origin.url(), with: transport, trust: trust)

            #expect(error?.code == .tls)
            #expect(error?.reason == reason)
        }
    }

    @Test func failedTLSHandshakeIsReported() async throws {
        let origin = try await LoopbackOrigin(rejectsOtherProtocols: true) { _ in .ok([1]) }

        let error = await TransportFixture.failure("https://127.0.0.1:\(origin.port)/", with: transport)

        #expect(error?.code == .tls)
        #expect(error?.reason == .handshakeFailed)
    }

    @Test func connectionThatClosesInTheTLSHandshakeIsATransportError() async throws {
        let origin = try await LoopbackOrigin { _ in .close() }
        // The first message of TLS is no request, so the origin closes only when it stops.
        let url = "https://127.0.0.1:\(origin.port)/"
        let task = Task { await TransportFixture.failure(url, with: transport) }
        while origin.connectionCount == 0 { await Task.yield() }
        await origin.stop()

        let error = await task.value

        #expect(error?.code == .transport)
        #expect(error?.reason == .closedBeforeResponse)
    }

    @Test func proxyThatRefusesTheTunnelOrTheConnectionIsReported() async throws {
        let origin = try await LoopbackOrigin { _ in .response(OriginResponse(status: 403)) }
        for (host, port) in [("127.0.0.1", origin.port), ("127.0.0.1", 1), ("nothing.invalid", 80)] {
            for url in ["http://origin.test/", "https://origin.test/"] {
                let transport = CurlTransport(proxy: .server(ProxyServer(host: host, port: port)))

                let error = await TransportFixture.failure(url, with: transport)

                #expect(error?.code == .transport)
                #expect(error?.reason == .proxyFailed, "\(error.map { "\($0)" } ?? "no error")")
            }
        }
        #expect(origin.requests.map(\.method) == ["CONNECT", "CONNECT"])
    }

    @Test(arguments: [
        ("", LoadError.TransportReason.closedBeforeResponse), ("HTTP/1.1 200 OK\r\n", .closedInHead),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx", .truncatedBody),
    ])
    func lostConnectionIsReportedByItsPosition(_ sent: String, _ reason: LoadError.TransportReason) async throws {
        let origin = try await LoopbackOrigin { _ in .close(after: Array(sent.utf8)) }

        #expect(await TransportFixture.failure(origin.url(), with: transport)?.reason == reason)
    }

    @Test func refusedAndResetHTTP2StreamsAreReported() async throws {
        let certificate = try OriginCertificate()
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]
        let cases: [(OriginAction, LoadError.TransportReason)] = [
            (.refuseStream, .streamRefused), (.goAway, .streamRefused), (.resetStream(code: 8), .streamReset),
        ]
        for (action, reason) in cases {
            let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in action }

            let error = await TransportFixture.failure(origin.url(), with: transport, trust: trust)

            #expect(error?.reason == reason, "\(action): \(error.map { "\($0)" } ?? "no error")")
        }
    }

    @Test func loadErrorOfALoaderKeepsTheReason() async throws {
        let bench = try RealServerBench()

        guard case .failure(let error) = await bench.result(ImageRequest(url: "http://127.0.0.1:1/a")) else {
            Issue.record("the load returned an image")
            return
        }

        #expect(error.reason == .connectionRefused)
    }
}
