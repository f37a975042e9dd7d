#if Loader
internal import Crypto
import PlatformImage

/// Tells responses apart by how the connection that they came over was verified: a response over a connection that was
/// not verified must not answer a load that would have verified it.
///
/// The scope of an address is part of ``CacheKey``, so it separates memory, disk, remembered failures and downloads under
/// way. With the default trust, and without TLS, it is empty, and keys are what they are without it.
struct TrustScope: Sendable {
    private let trust: TrustSettings
    /// Of hosts that are verified: empty with the system's roots alone.
    private let verified: String

    /// Any certificate was taken.
    private static let unverified = "unverified"

    init(_ trust: TrustSettings) {
        self.trust = trust
        guard !trust.additionalTrustRoots.isEmpty else {
            verified = ""
            return
        }
        var hash = SHA256()
        // The order of roots means nothing, and neither does one that is there twice.
        for root in Set(trust.additionalTrustRoots).sorted() {
            hash.update(data: Array("\(root.utf8.count) \(root)".utf8))
        }
        verified = "roots-" + String(hexadecimal: hash.finalize())
    }

    /// True when every address has the empty scope.
    var isDefault: Bool { verified.isEmpty && !trust.trustAnySSLCertificate && trust.trustedHosts.isEmpty }

    /// The scope of an address, letters, digits and hyphens; empty for http and for what is no address.
    func name(of url: String) -> String {
        if isDefault { return "" }
        guard let origin = Origin(url), origin.isSecure else { return "" }
        return trust.trustAnySSLCertificate || isTrusted(origin) ? Self.unverified : verified
    }

    /// True for a host whose certificate is not verified.
    private func isTrusted(_ origin: Origin) -> Bool {
        if trust.trustedHosts.isEmpty { return false }
        let host = origin.host
        // Which name the transport makes of an escaped one is its affair: better apart than together.
        if host.utf8.contains(UInt8(ascii: "%")) { return true }
        let address = host.hasPrefix("[") ? host.dropFirst().dropLast() : host
        return trust.trustedHosts.contains(String(host)) || trust.trustedHosts.contains(String(address))
    }
}
#endif
