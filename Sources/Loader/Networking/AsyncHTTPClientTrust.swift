#if AsyncHTTPClient
import NIOSSL
internal import PlatformImage
import Synchronization

/// Turns trust settings into those of TLS, and keeps the last ones made, because connections are pooled by them.
final class AsyncHTTPClientTrust: Sendable {
    private struct Made {
        let roots: [String]
        let configuration: TLSConfiguration
    }

    private let made = Mutex<Made?>(nil)
    private let trustingAny: TLSConfiguration = {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return configuration
    }()

    /// What to set for a request to this host, in lower case; nil for what the client does anyhow.
    ///
    /// - Throws: `configuration` when an additional root is not one or more certificates in PEM form.
    func configuration(_ trust: TrustSettings, host: String) throws(LoadError) -> TLSConfiguration? {
        let verifying = try verifying(trust.additionalTrustRoots)
        return trust.trustAnySSLCertificate || trust.trustedHosts.contains(host) ? trustingAny : verifying
    }

    /// The additional roots; none when they are no certificates.
    func roots(_ trust: TrustSettings) -> [NIOSSLCertificate] {
        trust.additionalTrustRoots.flatMap { (try? NIOSSLCertificate.fromPEMBytes(Array($0.utf8))) ?? [] }
    }

    private func verifying(_ roots: [String]) throws(LoadError) -> TLSConfiguration? {
        if roots.isEmpty { return nil }
        if let made = made.locked(in: self, { $0 }), made.roots == roots { return made.configuration }
        var certificates: [NIOSSLCertificate] = []
        for (number, root) in roots.enumerated() {
            let parsed = try? NIOSSLCertificate.fromPEMBytes(Array(root.utf8))
            guard let parsed, !parsed.isEmpty else {
                throw .configuration("additional trust root \(number + 1) is no certificate in PEM form")
            }
            certificates += parsed
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [.certificates(certificates)]
        let result = Made(roots: roots, configuration: configuration)
        made.locked(in: self) { $0 = result }
        return configuration
    }
}
#endif
