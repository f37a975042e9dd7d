#if AsyncHTTPClient
import Crypto

/// The fields of an X.509 certificate (RFC 5280 §4.1) that decide whether it is self-signed.
struct CertificateFields {
    /// The encoded issuer name.
    let issuer: ArraySlice<UInt8>
    /// The encoded subject name.
    let subject: ArraySlice<UInt8>
    /// The signed part, `TBSCertificate`, with tag and length.
    private let signedBytes: ArraySlice<UInt8>
    /// `SubjectPublicKeyInfo`, with tag and length.
    private let publicKey: ArraySlice<UInt8>
    /// The object identifier of the signature algorithm, without tag and length.
    private let algorithm: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>
    private let subjectKeyIdentifier: ArraySlice<UInt8>?
    private let authorityKeyIdentifier: ArraySlice<UInt8>?

    /// Parses a certificate in DER form; nil when it is malformed.
    init?(der bytes: [UInt8]) {
        var input = bytes[...]
        guard var certificate = DERElement(&input)?.content, let signed = DERElement(&certificate),
            var identifier = DERElement(&certificate)?.content, let algorithm = DERElement(&identifier),
            let signature = DERElement(&certificate), signature.tag == 0x03, signature.content.first == 0
        else { return nil }
        var fields = signed.content
        // Version (optional), serial number, signature algorithm, issuer, validity, subject, public key.
        if fields.first == 0xA0 { _ = DERElement(&fields) }
        guard DERElement(&fields) != nil, DERElement(&fields) != nil, let issuer = DERElement(&fields),
            DERElement(&fields) != nil, let subject = DERElement(&fields), let publicKey = DERElement(&fields)
        else { return nil }
        self.issuer = issuer.content
        self.subject = subject.content
        self.publicKey = publicKey.bytes
        self.algorithm = algorithm.content
        self.signature = signature.content.dropFirst()
        signedBytes = signed.bytes
        let extensions = Self.extensions(in: fields)
        subjectKeyIdentifier = extensions[Self.subjectKeyIdentifierOID].flatMap { value in
            var value = value
            return DERElement(&value)?.content
        }
        authorityKeyIdentifier = extensions[Self.authorityKeyIdentifierOID].flatMap { value in
            var value = value
            guard var sequence = DERElement(&value)?.content, let key = DERElement(&sequence), key.tag == 0x80 else {
                return nil
            }
            return key.content
        }
    }

    /// False when another key signed the certificate: an ECDSA signature does not verify with the certificate's key,
    /// or, for other algorithms, the identifiers of the subject's and the signer's key differ (RFC 5280 §4.2.1.1). True
    /// otherwise.
    var mayBeSignedByOwnKey: Bool {
        if let isValid = isValidECDSASignature { return isValid }
        guard let authorityKeyIdentifier, let subjectKeyIdentifier else { return true }
        return authorityKeyIdentifier == subjectKeyIdentifier
    }

    /// True when the certificate's key verifies its signature; nil for other algorithms and keys than ECDSA.
    private var isValidECDSASignature: Bool? {
        switch Array(algorithm) {
        case Self.ecdsaWithSHA256: isValid(for: SHA256.hash(data: signedBytes))
        case Self.ecdsaWithSHA384: isValid(for: SHA384.hash(data: signedBytes))
        case Self.ecdsaWithSHA512: isValid(for: SHA512.hash(data: signedBytes))
        default: nil
        }
    }

    private func isValid(for digest: some Digest) -> Bool? {
        if let key = try? P256.Signing.PublicKey(derRepresentation: publicKey) {
            return (try? P256.Signing.ECDSASignature(derRepresentation: signature))
                .map { key.isValidSignature($0, for: digest) } ?? false
        }
        if let key = try? P384.Signing.PublicKey(derRepresentation: publicKey) {
            return (try? P384.Signing.ECDSASignature(derRepresentation: signature))
                .map { key.isValidSignature($0, for: digest) } ?? false
        }
        if let key = try? P521.Signing.PublicKey(derRepresentation: publicKey) {
            return (try? P521.Signing.ECDSASignature(derRepresentation: signature))
                .map { key.isValidSignature($0, for: digest) } ?? false
        }
        return nil
    }

    /// Returns the values of the extensions by object identifier.
    private static func extensions(in fields: ArraySlice<UInt8>) -> [[UInt8]: ArraySlice<UInt8>] {
        var fields = fields
        var values: [[UInt8]: ArraySlice<UInt8>] = [:]
        while let field = DERElement(&fields) {
            // `[3] EXPLICIT Extensions`
            guard field.tag == 0xA3 else { continue }
            var list = field.content
            guard var extensions = DERElement(&list)?.content else { break }
            while var parts = DERElement(&extensions)?.content {
                guard let name = DERElement(&parts), var value = DERElement(&parts) else { break }
                // `critical`, a Boolean, may precede the value.
                if value.tag == 0x01 {
                    guard let next = DERElement(&parts) else { break }
                    value = next
                }
                values[Array(name.content)] = value.content
            }
        }
        return values
    }

    // DER-encoded object identifiers: signature algorithms (RFC 5758 §3.2) and extensions (RFC 5280 §4.2.1).
    private static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    private static let ecdsaWithSHA384: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]
    private static let ecdsaWithSHA512: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04]
    private static let subjectKeyIdentifierOID: [UInt8] = [0x55, 0x1D, 0x0E]
    private static let authorityKeyIdentifierOID: [UInt8] = [0x55, 0x1D, 0x23]
}

/// One DER element (ITU-T X.690 §8.1).
private struct DERElement {
    let tag: UInt8
    let content: ArraySlice<UInt8>
    /// The element with tag and length.
    let bytes: ArraySlice<UInt8>

    /// Removes the first element of `input` and parses it; nil when it is truncated, or when its length is indefinite
    /// or has more than four bytes.
    init?(_ input: inout ArraySlice<UInt8>) {
        var rest = input
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        self.tag = tag
        content = rest.prefix(length)
        bytes = input[..<content.endIndex]
        input = input[content.endIndex...]
    }
}
#endif
