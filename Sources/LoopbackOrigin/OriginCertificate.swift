import Crypto
import Foundation

/// A newly generated X.509 certificate with its key, self-signed or signed by another certificate.
///
/// It is encoded field by field (RFC 5280 §4.1, in DER), which avoids a dependency on a certificate library.
public struct OriginCertificate: Sendable {
    /// The certificate in DER form.
    public let der: [UInt8]
    /// The certificate in PEM form, as accepted for additional trust roots.
    public let pem: String
    /// The private key in DER form.
    let key: [UInt8]
    /// The DER-encoded subject name.
    private let name: [UInt8]

    /// Creates a certificate with a new P-256 key for these host names, and for 127.0.0.1 if `coversLoopback`.
    ///
    /// - Parameters:
    ///   - issuer: The certificate that signs it; nil for self-signed. A server sends only its leaf certificate.
    ///   - sharesIssuerName: True uses the name of `issuer` as the subject: the certificate is then self-issued, but
    ///     not self-signed (RFC 5280 §3.2).
    ///   - notBefore: First second of validity, `yymmddhhmmssZ`; years from 50 on are 19yy (RFC 5280 §4.1.2.5.1).
    ///   - notAfter: Last second of validity, in the form of `notBefore`.
    public init(
        hosts: [String] = ["localhost"], coversLoopback: Bool = true, issuer: OriginCertificate? = nil,
        sharesIssuerName: Bool = false, notBefore: String = "200101000000Z", notAfter: String = "491231235959Z"
    ) throws {
        let key = P256.Signing.PrivateKey()
        let names =
            hosts.map { DER.element(0x82, Array($0.utf8)) }
            + (coversLoopback ? [DER.element(0x87, [127, 0, 0, 1])] : [])
        // Issuers are found by name, so every certificate has a unique name unless the caller requests otherwise.
        let uniqueName = DER.sequence([
            DER.set([
                DER.sequence([
                    DER.identifier([2, 5, 4, 3]), DER.text("loopback origin \(UInt64.random(in: 0...UInt64.max))"),
                ])
            ])
        ])
        let name = sharesIssuerName ? issuer?.name ?? uniqueName : uniqueName
        let algorithm = DER.sequence([DER.identifier([1, 2, 840, 10045, 4, 3, 2])])  // ecdsa-with-SHA256
        let constraints = DER.sequence([
            DER.identifier([2, 5, 29, 19]), DER.element(0x01, [0xFF]),
            DER.element(0x04, DER.sequence([DER.element(0x01, [0xFF])])),
        ])
        // The subjectAltName extension is omitted without names: it must contain at least one (RFC 5280 §4.2.1.6).
        let alternatives = DER.sequence([DER.identifier([2, 5, 29, 17]), DER.element(0x04, DER.sequence(names))])
        let body = DER.sequence([
            DER.element(0xA0, DER.element(0x02, [2])),
            DER.element(0x02, [0x01] + (0..<8).map { _ in UInt8.random(in: 0...255) }),
            algorithm, issuer?.name ?? name,
            DER.sequence([DER.time(notBefore), DER.time(notAfter)]),
            name, Array(key.publicKey.derRepresentation),
            DER.element(0xA3, DER.sequence(names.isEmpty ? [constraints] : [constraints, alternatives])),
        ])
        let signer = try issuer.map { try P256.Signing.PrivateKey(derRepresentation: $0.key) } ?? key
        let signature = try signer.signature(for: body).derRepresentation
        self.name = name
        der = DER.sequence([body, algorithm, DER.element(0x03, [0] + signature)])
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        self.key = Array(key.derRepresentation)
    }
}

/// The DER elements (ITU-T X.690) that a certificate needs.
private enum DER {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, Array(parts.joined())) }
    static func set(_ parts: [[UInt8]]) -> [UInt8] { element(0x31, Array(parts.joined())) }
    static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    static func time(_ text: String) -> [UInt8] { element(0x17, Array(text.utf8)) }

    /// Encodes an object identifier of at least two numbers.
    static func identifier(_ numbers: [Int]) -> [UInt8] {
        let first = numbers[0] * 40 + numbers[1]
        return element(0x06, [UInt8(first)] + numbers.dropFirst(2).flatMap(base128))
    }

    private static func base128(_ number: Int) -> [UInt8] {
        var digits = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return digits
    }
}
