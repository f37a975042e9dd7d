/// An origin (scheme, host and port, RFC 6454 §4), the scope of credentials.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `scheme://host`, and `:port` unless that is the scheme's default; scheme and host in lower case.
    public let description: String

    /// Returns the origin of an http or https URL; nil for any other text.
    public init?(_ url: String) {
        guard let normalised = CacheKey.normalised(url), let schemeEnd = normalised.utf8.firstIndex(of: 0x3A) else {
            return nil
        }
        // The scheme is followed by "://", the authority without user information, and at least a slash.
        let authority = normalised.utf8.index(schemeEnd, offsetBy: 3)
        let end = normalised.utf8[authority...].firstIndex { "/?".utf8.contains($0) } ?? normalised.endIndex
        description = String(normalised[..<end])
    }

    /// The host in lower case; an IPv6 address is in brackets.
    package var host: Substring {
        let authority = description.utf8.firstIndex(of: UInt8(ascii: ":")).map { description[$0...].dropFirst(3) } ?? ""
        if let bracket = authority.lastIndex(of: "]") { return authority[...bracket] }
        return authority.lastIndex(of: ":").map { authority[..<$0] } ?? authority
    }

    /// True for https.
    public var isSecure: Bool { description.hasPrefix("https:") }
}
