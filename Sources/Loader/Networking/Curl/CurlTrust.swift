internal import CPlatformImageCurl
internal import PlatformImage
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Converts trust settings to libcurl's, and caches the last additional roots.
final class CurlTrust: Sendable {
    /// Additional root certificates.
    final class Roots: Sendable {
        /// Different for different roots, 1 or more; libcurl reuses connections only with equal roots.
        let number: Int
        /// The certificates in PEM form, parsed and written again.
        let pem: [UInt8]

        init(number: Int, pem: [UInt8]) {
            self.number = number
            self.pem = pem
        }
    }

    private struct State {
        var texts: [String] = []
        var roots: Roots?
        var count = 0
    }

    private let state = Mutex(State())

    /// Returns whether the certificate of the host is verified, and the additional roots for that.
    ///
    /// - Throws: `configuration` when an additional root does not consist of PEM certificates.
    func verification(
        _ trust: TrustSettings, of target: HTTPTarget
    ) throws(LoadError) -> (verifies: Bool, roots: Roots?) {
        let roots = try roots(trust)
        if trust.trustAnySSLCertificate { return (false, nil) }
        if !trust.trustedHosts.isEmpty, trust.isTrusted(host: target.name) { return (false, nil) }
        return (true, roots)
    }

    /// Returns the additional roots; nil for none.
    func roots(_ trust: TrustSettings) throws(LoadError) -> Roots? {
        let texts = trust.additionalTrustRoots
        if texts.isEmpty { return nil }
        if let roots = state.locked(in: self, { $0.texts == texts ? $0.roots : nil }) { return roots }
        var pem: [UInt8] = []
        for (number, text) in texts.enumerated() {
            guard let certificates = Self.certificates(text) else {
                throw .configuration("additional trust root \(number + 1) is not a certificate in PEM form")
            }
            pem += certificates
        }
        return state.locked(in: self) { [pem] state in
            state.count += 1
            let roots = Roots(number: state.count, pem: pem)
            (state.texts, state.roots) = (texts, roots)
            return roots
        }
    }

    /// Returns the parsed certificates in PEM form; nil if one is invalid or there is none.
    private static func certificates(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { pem -> [UInt8]? in
                var count = 0
                guard let result = picu_certificates(pem.baseAddress, pem.count, &count) else { return nil }
                defer { free(result) }
                return Array(UnsafeRawBufferPointer(start: result, count: count))
            }
        }
    }
}
