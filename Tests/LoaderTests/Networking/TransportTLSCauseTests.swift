import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// The message of a TLS error contains the reason why a certificate is not trusted.
@Suite(.requirement("N15"), .timeLimit(.minutes(30))) struct TransportTLSCauseTests {
    private let transport = CurlTransport(proxy: .none)

    private func message(
        _ certificate: OriginCertificate, roots: [String] = [], speaksHTTP2: Bool = false, host: String? = nil
    ) async throws -> String {
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in .ok([1]) }
        var trust = TrustSettings()
        trust.additionalTrustRoots = roots
        let error = await TransportFixture.failure(origin.url("/a?secret", host: host), with: transport, trust: trust)
        #expect(error?.code == .tls)
        #expect(origin.requests.isEmpty, "no request is sent over an untrusted connection")
        let message = error?.message ?? ""
        for part in ["/swift", ".cc", "BoringSSL", "OPENSSL", "268435", "\n", "secret"] {
            #expect(!message.contains(part), "\(message)")
        }
        return message
    }

    @Test(arguments: [false, true])
    func selfSignedCertificateIsReportedAsSelfSigned(_ speaksHTTP2: Bool) async throws {
        let message = try await message(OriginCertificate(), speaksHTTP2: speaksHTTP2)
        #expect(message == "certificate not trusted: self-signed")
    }

    @Test func certificateOfAnUnknownIssuerIsReportedAsUnknownIssuer() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let message = try await message(OriginCertificate(issuer: authority))
        #expect(message == "certificate not trusted: unknown issuer")
    }

    @Test func issuerMissingFromTheTrustRootsIsReportedAsUnknownIssuer() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let message = try await message(OriginCertificate(issuer: authority), roots: [OriginCertificate().pem])
        #expect(message == "certificate not trusted: unknown issuer")
    }

    @Test func expiredCertificateIsReportedAsExpired() async throws {
        let certificate = try OriginCertificate(notBefore: "200101000000Z", notAfter: "210203040506Z")
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: expired")
    }

    @Test func expiredCertificateOfATrustedIssuerIsReportedAsExpired() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let certificate = try OriginCertificate(issuer: authority, notAfter: "210203040506Z")
        let message = try await message(certificate, roots: [authority.pem])
        #expect(message == "certificate not trusted: expired")
    }

    @Test func certificateNotYetValidIsReportedAsNotYetValid() async throws {
        let certificate = try OriginCertificate(notBefore: "480203040506Z")
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: not yet valid")
    }

    @Test func certificateForAnotherIPAddressIsReportedAsNameMismatch() async throws {
        let certificate = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: name mismatch: it is not valid for 127.0.0.1")
    }

    @Test func certificateForAnotherHostNameIsReportedAsNameMismatch() async throws {
        let certificate = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let message = try await message(certificate, roots: [certificate.pem], host: "localhost")
        #expect(message == "certificate not trusted: name mismatch: it is not valid for localhost")
    }

    @Test func serverWithoutTLSIsReportedAsAHandshakeFailure() async throws {
        let origin = try await LoopbackOrigin(rejectsOtherProtocols: true) { _ in .ok([1]) }
        let url = "https://127.0.0.1:\(origin.port)/"
        let error = await TransportFixture.failure(url, with: transport)
        #expect(error?.code == .tls)
        #expect(error?.message.hasPrefix("TLS handshake failed: ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("/") == false, "\(error?.message ?? "")")
    }

    @Test func loadErrorContainsTheTLSCause() async throws {
        let origin = try await LoopbackOrigin(certificate: OriginCertificate()) { _ in .ok([1]) }
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        let loader = try ImageLoader(configuration: configuration, transport: transport)
        do {
            _ = try await loader.image(for: ImageRequest(url: origin.url()))
            Issue.record("the load returned an image")
        } catch {
            #expect(error.code == .tls && error.message == "certificate not trusted: self-signed", "\(error)")
        }
    }
}
