import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportTLSTests {
    private let transport = CurlTransport(proxy: .none)

    private func trust(_ change: (inout TrustSettings) -> Void) -> TrustSettings {
        var trust = TrustSettings()
        change(&trust)
        return trust
    }

    @Test(arguments: [false, true])
    func requestToAServerWithAnUntrustedCertificateFailsWithoutRetry(_ speaksHTTP2: Bool) async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in .ok([1]) }

        // There is no connect timeout, so the test would not end if connecting were retried until the timeout.
        let error = await TransportFixture.failure(origin.url(), with: transport)

        #expect(error?.code == .tls)
        #expect(origin.connectionCount == 1, "the failed connection attempt was retried")
        #expect(origin.requests.isEmpty)
    }

    @Test func eachTrustSettingAcceptsTheCertificateOnlyForRequestsWithThatSetting() async throws {
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate) { _ in .ok([1]) }
        let ways = [
            trust { $0.trustAnySSLCertificate = true }, trust { $0.trustedHosts = ["127.0.0.1"] },
            trust { $0.additionalTrustRoots = [certificate.pem] },
            trust { $0.additionalTrustRoots = [try? OriginCertificate().pem, certificate.pem].compactMap { $0 } },
        ]
        for trust in ways {
            #expect(try await TransportFixture.get(origin.url(), with: transport, trust: trust).body == [1])
        }
        let others = [
            trust { _ in }, trust { $0.trustedHosts = ["localhost", "127.0.0.2"] },
            trust { $0.additionalTrustRoots = [try? OriginCertificate().pem].compactMap { $0 } },
        ]
        // The connections above are still open and must not be reused for requests whose trust settings reject the
        // certificate.
        for trust in others {
            #expect(await TransportFixture.failure(origin.url(), with: transport, trust: trust)?.code == .tls)
        }
        #expect(origin.requests.count == ways.count)
    }

    @Test func certificateOfATrustedRootForAnotherHostNameIsRejected() async throws {
        let certificate = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let origin = try await LoopbackOrigin(certificate: certificate) { _ in .ok([1]) }
        let root = trust { $0.additionalTrustRoots = [certificate.pem] }
        let host = trust { $0.trustedHosts = ["127.0.0.1"] }

        #expect(await TransportFixture.failure(origin.url(), with: transport, trust: root)?.code == .tls)
        #expect(try await TransportFixture.get(origin.url(), with: transport, trust: host).body == [1])
    }

    @Test(arguments: ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func invalidTrustRootIsRejectedBeforeAnyRequest(_ root: String) {
        let roots = trust { $0.additionalTrustRoots = [root] }

        #expect(throws: LoadError.configuration("")) { try transport.validate(roots) }
        #expect(throws: Never.self) { try transport.validate(trust { $0.trustAnySSLCertificate = true }) }
    }

    @Test func hostNameOfTheRequestIsVerifiedAgainstTheCertificate() async throws {
        let certificate = try OriginCertificate(hosts: ["localhost"], coversLoopback: false)
        let origin = try await LoopbackOrigin(certificate: certificate) { _ in .ok([1]) }
        let root = trust { $0.additionalTrustRoots = [certificate.pem] }

        let url = origin.url("/", host: "localhost")

        #expect(try await TransportFixture.get(url, with: transport, trust: root).body == [1])
        #expect(await TransportFixture.failure(origin.url(), with: transport, trust: root)?.code == .tls)
    }

    @Test func http2IsUsedWhenTheServerSupportsHTTP2() async throws {
        let body = TransportFixture.bytes(300_000)
        let certificate = try OriginCertificate()
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { request in
            var response = OriginResponse(fields: [OriginField("X-Text", "größe")], body: body)
            response.interim = [(103, [OriginField("link", "x")])]
            return .response(response)
        }
        let root = trust { $0.additionalTrustRoots = [certificate.pem] }

        try await withThrowingTaskGroup(of: TransportFixture.Reply.self) { group in
            for _ in 0..<20 {
                group.addTask { [transport] in
                    try await TransportFixture.get(
                        origin.url("/a?b"), with: transport, fields: ["X-A": "1"], trust: root)
                }
            }
            for try await reply in group {
                #expect(reply.head.status == 200)
                #expect(reply.body == body)
                #expect(reply.head.fields["x-text"] == Array("größe".utf8))
                #expect(!reply.head.fields.contains("link"))
            }
        }

        #expect(origin.connectionCount == 1)
        #expect(origin.requests.allSatisfy { $0.isHTTP2 && $0.target == "/a?b" && $0["X-A"] == "1" })
    }

    @Test(arguments: [10, 5000]) func truncatedHTTP2BodyIsAnError(_ sent: Int) async throws {
        let certificate = try OriginCertificate()
        let answers: [OriginAction] = [
            .response(with { $0.failure = (sent, .close) }), .response(with { $0.framing = .declared(20_000) }),
        ]
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { answers[$0.number] }
        let root = trust { $0.additionalTrustRoots = [certificate.pem] }

        for _ in answers {
            let error = await TransportFixture.failure(origin.url(), with: transport, trust: root)
            #expect(error?.code == .transport)
        }
        #expect(origin.requests.count == answers.count)
    }

    private func with(_ change: (inout OriginResponse) -> Void) -> OriginResponse {
        var response = OriginResponse(body: TransportFixture.bytes(10_000))
        change(&response)
        return response
    }
}
