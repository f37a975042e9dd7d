#if AsyncHTTPClient
import NIOSSL

/// Describes why a certificate is not trusted.
enum CertificateDiagnosis {
    /// Returns `self-signed`, `unknown issuer`, `expired on 2021-02-03`, or several reasons; nil without a certificate.
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
        // Dates are valid and the issuer is another certificate: the remaining reason is that no chain leads to a root.
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

    /// Returns true when issuer and subject are equal (RFC 5280 §3.2); the signature is not verified.
    private static func isSelfSigned(_ certificate: NIOSSLCertificate) -> Bool {
        guard let bytes = try? certificate.toDERBytes(), let names = names(inCertificate: bytes[...]) else {
            return false
        }
        return names.issuer == names.subject
    }

    /// Returns the encoded names of a certificate (RFC 5280 §4.1): `Certificate { TBSCertificate { [0] version,
    /// serialNumber, signature, issuer, validity, subject, ... } ... }`.
    private static func names(
        inCertificate bytes: ArraySlice<UInt8>
    ) -> (issuer: ArraySlice<UInt8>, subject: ArraySlice<UInt8>)? {
        var outer = bytes
        guard var certificate = content(of: &outer), var fields = content(of: &certificate) else { return nil }
        if fields.first == 0xA0 { _ = content(of: &fields) }
        guard content(of: &fields) != nil, content(of: &fields) != nil, let issuer = content(of: &fields),
            content(of: &fields) != nil, let subject = content(of: &fields)
        else { return nil }
        return (issuer, subject)
    }

    /// Removes the first DER element (ITU-T X.690 §8.1) and returns its content; nil when it is truncated.
    private static func content(of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() != nil, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
#endif
