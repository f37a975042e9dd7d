import PlatformImage

/// A parsed http or https URL. The request is built from the parsed parts, so that it is sent to exactly the URL that
/// the policy has checked.
struct SourceTarget: Hashable, Sendable {
    /// True for https.
    let isSecure: Bool
    /// Normalized host.
    let host: SourceHost
    /// Port, 1...65535.
    let port: Int
    /// Path and query as written, with a leading slash, without the fragment.
    let target: String

    /// Parses a URL.
    ///
    /// - Throws: `schemeRefused` for a scheme other than http and https, `hostRefused` for user information and for an
    ///   invalid host, `portRefused` for an invalid port, `malformed` for other errors.
    init(_ url: String) throws(ServiceError) {
        let bytes = Array(url.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw .malformed("the source contains a space, a control character or a backslash")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("the source has no scheme") }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw ServiceError(.schemeRefused, "the source's scheme is not http or https")
        }
        isSecure = scheme == "https"
        var rest = bytes[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { throw .malformed("the source has no host") }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw ServiceError(.hostRefused, "the source contains user information")
        }
        let (name, digits) = Self.split(authority)
        guard let host = SourceHost(String(decoding: name, as: UTF8.self)) else {
            throw ServiceError(.hostRefused, "the source's host is invalid")
        }
        self.host = host
        if let digits, !digits.isEmpty {
            guard digits.count <= 5, let port = Int(asciiDigits: digits), (1...65535).contains(port) else {
                throw ServiceError(.portRefused, "the source's port is invalid")
            }
            self.port = port
        } else {
            port = isSecure ? 443 : 80
        }
        let tail = rest[end...].prefix { $0 != UInt8(ascii: "#") }
        let path = String(decoding: tail, as: UTF8.self)
        target = path.hasPrefix("/") ? path : "/" + path
    }

    /// The normalized URL: host in lower case, port only when it is not the default of the scheme.
    var url: String {
        let isDefaultPort = port == (isSecure ? 443 : 80)
        return "\(isSecure ? "https" : "http")://\(host)\(isDefaultPort ? "" : ":\(port)")\(target)"
    }

    /// Splits an authority into host and port; the port is nil without a colon.
    private static func split(_ authority: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        let literalEnd = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[literalEnd...].firstIndex(of: UInt8(ascii: ":")) else { return (authority, nil) }
        return (authority[..<colon], authority[(colon + 1)...])
    }
}
