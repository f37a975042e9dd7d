internal import CPlatformImageOriginProtocols

/// A newly generated X.509 certificate with its key, self-signed or signed by another certificate.
public struct OriginCertificate: Sendable {
    /// The certificate in DER form.
    public let der: [UInt8]
    /// The certificate in PEM form, as accepted for additional trust roots.
    public let pem: String
    /// The private key in DER form.
    let key: [UInt8]

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
        var (der, pem, key) = (piop_bytes(), piop_bytes(), piop_bytes())
        defer {
            piop_bytes_free(&der)
            piop_bytes_free(&pem)
            piop_bytes_free(&key)
        }
        // Issuers are found by name, so every certificate has a unique name unless the caller requests otherwise.
        let name = "loopback origin \(UInt64.random(in: 0...UInt64.max))"
        let isMade = Self.withRequest(
            strings: [name, notBefore, notAfter] + hosts, issuer: issuer?.der ?? [], issuerKey: issuer?.key ?? []
        ) { request in
            request.covers_loopback = coversLoopback
            request.shares_issuer_name = sharesIssuerName
            return piop_certificate_make(&request, &der, &pem, &key)
        }
        guard isMade else { throw OriginError("cannot make a certificate valid from \(notBefore) to \(notAfter)") }
        self.der = Self.array(der)
        self.key = Self.array(key)
        self.pem = String(decoding: Self.array(pem), as: UTF8.self)
    }

    private static func array(_ bytes: piop_bytes) -> [UInt8] {
        Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.size))
    }

    /// Calls `body` with a request that refers to copies of these values.
    ///
    /// - Parameter strings: Common name, first and last time of validity, and the host names.
    private static func withRequest(
        strings: [String], issuer: [UInt8], issuerKey: [UInt8], _ body: (inout piop_certificate_request) -> Bool
    ) -> Bool {
        let texts = strings.map { text in
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
            _ = copy.initialize(from: text.utf8CString)
            return copy
        }
        defer { for text in texts { text.deallocate() } }
        let hosts = texts.dropFirst(3).map { UnsafePointer($0.baseAddress) }
        return hosts.withUnsafeBufferPointer { hosts in
            issuer.withUnsafeBufferPointer { issuer in
                issuerKey.withUnsafeBufferPointer { issuerKey in
                    var request = piop_certificate_request()
                    request.hosts = hosts.baseAddress
                    request.host_count = hosts.count
                    request.common_name = UnsafePointer(texts[0].baseAddress)
                    request.not_before = UnsafePointer(texts[1].baseAddress)
                    request.not_after = UnsafePointer(texts[2].baseAddress)
                    if !issuer.isEmpty {
                        (request.issuer, request.issuer_size) = (issuer.baseAddress, issuer.count)
                        (request.issuer_key, request.issuer_key_size) = (issuerKey.baseAddress, issuerKey.count)
                    }
                    return body(&request)
                }
            }
        }
    }
}
