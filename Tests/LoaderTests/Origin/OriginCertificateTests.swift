import Foundation
import PlatformImageLoopbackOrigin
import Testing

@Suite struct OriginCertificateTests {
    /// The common names of issuer and subject, in this order.
    private func names(_ certificate: OriginCertificate) -> [String] {
        let prefix = Array("loopback origin ".utf8)
        let der = certificate.der
        return der.indices.filter { der[$0...].starts(with: prefix) }
            .map { String(decoding: der[($0 + prefix.count)...].prefix { (0x30...0x39).contains($0) }, as: UTF8.self) }
    }

    @Test func issuerAndSubjectAreThoseOfTheSigner() throws {
        let root = try OriginCertificate(hosts: [], coversLoopback: false)
        let leaf = try OriginCertificate(issuer: root)
        let renewed = try OriginCertificate(issuer: root, sharesIssuerName: true)

        #expect(names(root).count == 2 && Set(names(root)).count == 1)
        #expect(names(leaf).count == 2 && names(leaf)[0] == names(root)[0] && names(leaf)[1] != names(root)[0])
        #expect(names(renewed) == names(root))
        #expect(renewed.der != root.der)
    }

    @Test func pemContainsTheDERForm() throws {
        let certificate = try OriginCertificate()
        let lines = certificate.pem.split(separator: "\n", omittingEmptySubsequences: false)

        #expect(lines.first == "-----BEGIN CERTIFICATE-----")
        #expect(lines.suffix(2) == ["-----END CERTIFICATE-----", ""])
        #expect(Data(base64Encoded: lines.dropFirst().dropLast(2).joined()) == Data(certificate.der))
    }

    @Test func hostsAndTimesAreEncoded() throws {
        let hosts = ["a.test", "b,c.test"]
        let certificate = try OriginCertificate(hosts: hosts, notBefore: "210203040506Z", notAfter: "500203040506Z")

        for bytes in hosts.map({ [0x82, UInt8($0.utf8.count)] + Array($0.utf8) }) + [[0x87, 4, 127, 0, 0, 1]] {
            #expect(certificate.der.indices.contains { certificate.der[$0...].starts(with: bytes) })
        }
        let validity = [0x17, 13] + Array("210203040506Z".utf8) + [0x17, 13] + Array("500203040506Z".utf8)
        #expect(certificate.der.indices.contains { certificate.der[$0...].starts(with: validity) })
    }

    @Test func withoutNamesThereIsNoExtensionForThem() throws {
        // The identifier of subjectAltName, 2.5.29.17.
        let identifier: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x11]
        for (isPresent, certificate) in [
            (true, try OriginCertificate(hosts: [])),
            (false, try OriginCertificate(hosts: [], coversLoopback: false)),
        ] {
            let der = certificate.der
            #expect(der.indices.contains { der[$0...].starts(with: identifier) } == isPresent)
        }
    }

    @Test(arguments: ["", "2101", "211303040506Z", "x10203040506Z"]) func invalidTimeThrows(_ time: String) {
        #expect(throws: (any Error).self) { _ = try OriginCertificate(notBefore: time) }
    }
}
