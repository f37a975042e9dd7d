#if AsyncHTTPClient
import NIOSSL

/// Describes why a certificate is not trusted.
enum CertificateDiagnosis {
    /// Returns one or more reasons, for example `self-signed, expired on 2021-02-03`. Returns `unknown issuer` if no
    /// other reason is found, and nil for an empty chain.
    ///
    /// - Parameters:
    ///   - chain: The chain that the server sent, its leaf certificate first.
    ///   - roots: Trusted certificates in addition to the system's.
    static func describe(_ chain: [NIOSSLCertificate], roots: [NIOSSLCertificate], now: WallTime) -> String? {
        guard let leaf = chain.first else { return nil }
        var reasons: [String] = []
        if isSelfSigned(leaf), !roots.contains(leaf) { reasons.append("self-signed") }
        for (index, certificate) in chain.enumerated() {
            guard let reason = validity(certificate, now) else { continue }
            reasons.append(index == 0 ? reason : "an issuer's certificate \(reason)")
            break
        }
        // If no other reason was found, the chain of issuers does not end at a trusted root.
        return reasons.isEmpty ? "unknown issuer" : reasons.joined(separator: ", ")
    }

    private static func validity(_ certificate: NIOSSLCertificate, _ now: WallTime) -> String? {
        let (first, last) = (Int64(certificate.notValidBefore), Int64(certificate.notValidAfter))
        if now.seconds > last { return "expired on \(date(last))" }
        return now.seconds < first ? "not valid before \(date(first))" : nil
    }

    private static func date(_ seconds: Int64) -> String {
        let date = CivilDate(WallTime(seconds: seconds))
        func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(digits(date.month))-\(digits(date.day))"
    }

    /// Returns true when a certificate is signed with the private key of its public key (self-signed, RFC 5280 §3.2),
    /// as far as ``CertificateFields`` can verify this. Equal issuer and subject names alone (self-issued) do not
    /// identify the signer.
    private static func isSelfSigned(_ certificate: NIOSSLCertificate) -> Bool {
        guard let bytes = try? certificate.toDERBytes(), let fields = CertificateFields(der: bytes) else {
            return false
        }
        return fields.issuer == fields.subject && fields.mayBeSignedByOwnKey
    }
}
#endif
