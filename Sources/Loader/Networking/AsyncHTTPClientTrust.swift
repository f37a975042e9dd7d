#if AsyncHTTPClient
import NIOSSL
internal import PlatformImage
import Synchronization

/// Converts trust settings to TLS configurations and caches the last configuration, because AsyncHTTPClient pools
/// connections by configuration.
final class AsyncHTTPClientTrust: Sendable {
    private struct CachedConfiguration {
        let roots: [String]
        let configuration: TLSConfiguration
    }

    private let cached = Mutex<CachedConfiguration?>(nil)
    private let trustingAny: TLSConfiguration = {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return configuration
    }()

    /// Returns the TLS configuration for a request to a lowercase host; nil for the client's default.
    ///
    /// - Throws: `configuration` when an additional root does not consist of PEM certificates.
    func configuration(_ trust: TrustSettings, host: String) throws(LoadError) -> TLSConfiguration? {
        let verifying = try verifying(trust.additionalTrustRoots)
        return trust.trustAnySSLCertificate || trust.trustedHosts.contains(host) ? trustingAny : verifying
    }

    /// Returns the additional root certificates; invalid ones are skipped.
    func roots(_ trust: TrustSettings) -> [NIOSSLCertificate] {
        trust.additionalTrustRoots.flatMap { (try? NIOSSLCertificate.fromPEMBytes(Array($0.utf8))) ?? [] }
    }

    private func verifying(_ roots: [String]) throws(LoadError) -> TLSConfiguration? {
        if roots.isEmpty { return nil }
        if let cached = cached.locked(in: self, { $0 }), cached.roots == roots { return cached.configuration }
        var certificates: [NIOSSLCertificate] = []
        for (number, root) in roots.enumerated() {
            let parsed = try? NIOSSLCertificate.fromPEMBytes(Array(root.utf8))
            guard let parsed, !parsed.isEmpty else {
                throw .configuration("additional trust root \(number + 1) is not a certificate in PEM form")
            }
            certificates += parsed
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [.certificates(certificates)]
        let result = CachedConfiguration(roots: roots, configuration: configuration)
        cached.locked(in: self) { $0 = result }
        return configuration
    }
}
#endif
