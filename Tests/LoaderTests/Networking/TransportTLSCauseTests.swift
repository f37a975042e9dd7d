#if AsyncHTTPClient
import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

/// N15: an error of TLS says in words why a certificate is not trusted.
@Suite(.timeLimit(.minutes(30))) struct TransportTLSCauseTests {
    private let transport = AsyncHTTPClientTransport(proxy: .none)

    private func message(
        _ certificate: OriginCertificate, roots: [String] = [], speaksHTTP2: Bool = false, host: String? = nil
    ) async throws -> String {
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in .ok([1]) }
        var trust = TrustSettings()
        trust.additionalTrustRoots = roots
        let error = await TransportFixture.failure(origin.url("/a?secret", host: host), with: transport, trust: trust)
        #expect(error?.code == .tls)
        #expect(origin.requests.isEmpty, "no request goes over a connection that is not trusted")
        let message = error?.message ?? ""
        for part in ["/swift", ".cc", "BoringSSL", "OPENSSL", "268435", "\n", "secret"] {
            #expect(!message.contains(part), "\(message)")
        }
        return message
    }

    @Test("N15: self-signed", arguments: [false, true]) func aSelfSignedCertificateIsNamed(_ speaksHTTP2: Bool)
        async throws
    {
        let message = try await message(OriginCertificate(), speaksHTTP2: speaksHTTP2)
        #expect(message == "certificate not trusted: self-signed")
    }

    @Test("N15: unknown issuer") func anUnknownIssuerIsNamed() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let message = try await message(OriginCertificate(issuer: authority))
        #expect(message == "certificate not trusted: unknown issuer")
    }

    @Test("N15: an issuer among other roots is unknown as well") func anIssuerThatIsNoRootIsNamed() async throws {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let message = try await message(OriginCertificate(issuer: authority), roots: [OriginCertificate().pem])
        #expect(message == "certificate not trusted: unknown issuer")
    }

    @Test("N15: expired") func anExpiredCertificateIsNamed() async throws {
        let certificate = try OriginCertificate(notBefore: "200101000000Z", notAfter: "210203040506Z")
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: expired on 2021-02-03")
    }

    @Test("N15: expired, of an issuer that is trusted") func anExpiredCertificateOfATrustedIssuerIsNamed() async throws
    {
        let authority = try OriginCertificate(hosts: [], coversLoopback: false)
        let certificate = try OriginCertificate(issuer: authority, notAfter: "210203040506Z")
        let message = try await message(certificate, roots: [authority.pem])
        #expect(message == "certificate not trusted: expired on 2021-02-03")
    }

    @Test("N15: not valid yet") func aCertificateOfTheFutureIsNamed() async throws {
        let certificate = try OriginCertificate(notBefore: "480203040506Z")
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: not valid before 2048-02-03")
    }

    @Test("N15: name mismatch") func aNameMismatchIsNamed() async throws {
        let certificate = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let message = try await message(certificate, roots: [certificate.pem])
        #expect(message == "certificate not trusted: name mismatch, it is not for 127.0.0.1")
    }

    @Test("N15: name mismatch of a name") func aNameMismatchOfANameIsNamed() async throws {
        // NIOSSL accepts a certificate for the address of the connection too, whatever name was asked for.
        let certificate = try OriginCertificate(hosts: ["other.example"], coversLoopback: false)
        let message = try await message(certificate, roots: [certificate.pem], host: "localhost")
        #expect(message == "certificate not trusted: name mismatch, it is not for localhost")
    }

    @Test("N15: a server that does not speak TLS") func aServerWithoutTLSIsNamed() async throws {
        let origin = try await LoopbackOrigin(refusesOtherProtocols: true) { _ in .ok([1]) }
        let url = "https://127.0.0.1:\(origin.port)/"
        let error = await TransportFixture.failure(url, with: transport)
        #expect(error?.code == .tls)
        #expect(error?.message.hasPrefix("TLS handshake failed: ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("/") == false, "\(error?.message ?? "")")
    }

    @Test("N15: the cause arrives in the error of a load") func aLoadSaysTheCause() async throws {
        let origin = try await LoopbackOrigin(certificate: OriginCertificate()) { _ in .ok([1]) }
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        let loader = try ImageLoader(configuration: configuration, transport: transport)
        do {
            _ = try await loader.image(for: ImageRequest(url: origin.url()))
            Issue.record("a picture")
        } catch {
            #expect(error.code == .tls && error.message == "certificate not trusted: self-signed", "\(error)")
        }
    }
}
#endif
