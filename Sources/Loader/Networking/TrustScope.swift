import PlatformImage

/// Separates responses by how their connection was verified: a response from an unverified connection must not be used
/// for a load that requires verification.
///
/// The scope of a URL is part of ``CacheKey``, so it separates memory, disk, cached failures and running downloads.
/// It is empty with default trust and without TLS, which leaves keys unchanged.
struct TrustScope: Sendable {
    private let trust: TrustSettings
    /// The scope of verified hosts; empty with only the system's roots.
    private let verified: String

    /// The scope of connections that accept any certificate.
    private static let unverified = "unverified"

    init(_ trust: TrustSettings) {
        self.trust = trust
        guard !trust.additionalTrustRoots.isEmpty else {
            verified = ""
            return
        }
        var hash = SHA256()
        // Neither the order of the roots nor duplicates among them change the scope.
        for root in Set(trust.additionalTrustRoots).sorted() {
            hash.update(Array("\(root.utf8.count) \(root)".utf8))
        }
        verified = "roots-" + String(hexadecimal: hash.finalize())
    }

    /// True when every URL has the empty scope.
    var isDefault: Bool { verified.isEmpty && !trust.trustAnySSLCertificate && trust.trustedHosts.isEmpty }

    /// Returns the scope of a URL: letters, digits and hyphens; empty for http and for an invalid URL.
    func name(of url: String) -> String {
        if isDefault { return "" }
        guard let origin = Origin(url), origin.isSecure else { return "" }
        return trust.trustAnySSLCertificate || isTrusted(origin) ? Self.unverified : verified
    }

    /// Returns true for a host whose certificate is not verified.
    private func isTrusted(_ origin: Origin) -> Bool {
        if trust.trustedHosts.isEmpty { return false }
        let host = origin.host
        // The transport may decode an escaped host name to a trusted one: such a host counts as unverified, so that its
        // responses stay separate.
        if host.utf8.contains(UInt8(ascii: "%")) { return true }
        let address = host.hasPrefix("[") ? host.dropFirst().dropLast() : host
        return trust.isTrusted(host: String(host)) || trust.isTrusted(host: String(address))
    }
}
