internal import PlatformImage

/// The parts of an http or https URL that an exchange needs.
struct HTTPTarget {
    /// True for https.
    let isSecure: Bool
    /// The host as in the URL, internationalized labels as A-labels (RFC 5891); an IPv6 address is in brackets.
    let host: String
    /// The port, 1...65535.
    let port: UInt16
    /// The request target (RFC 9112 §3.2.1): path and query as in the URL; bytes that a request line
    /// cannot contain are percent-encoded.
    let target: [UInt8]

    /// Parses a URL; nil for another scheme, an invalid host or an invalid port. User information and the fragment are
    /// removed.
    init?(_ url: String) {
        var url = url
        let parsed = url.withUTF8 { Self.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(isSecure: Bool, host: String, port: UInt16, target: [UInt8]) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.target = target
    }

    /// Appends the Host field value: host, and port unless it is the default (RFC 9110 §7.2).
    func appendHostField(to text: inout [UInt8]) {
        text.append(contentsOf: host.utf8)
        if port != (isSecure ? 443 : 80) { appendPort(to: &text) }
    }

    /// Appends `scheme://host:port/` in lower case.
    func appendBase(to text: inout [UInt8]) {
        text.append(contentsOf: isSecure ? "https://".utf8 : "http://".utf8)
        text.append(contentsOf: host.lowercased().utf8)
        appendPort(to: &text)
        text.append(UInt8(ascii: "/"))
    }

    private func appendPort(to text: inout [UInt8]) {
        text.append(UInt8(ascii: ":"))
        text.append(contentsOf: String(port).utf8)
    }

    /// The host in lower case; an IPv6 address is without brackets.
    var name: String {
        let text = host.lowercased()
        return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    }

    private static func parse(_ url: UnsafeBufferPointer<UInt8>) -> Self? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), (4...5).contains(colon),
            zip(url, "https".utf8).prefix(colon).allSatisfy({ $0.lowercasedASCII == $1 }),
            url.count >= colon + 3, url[colon + 1] == UInt8(ascii: "/"), url[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let isSecure = colon == 5
        var authority = url[(colon + 3)...]
        let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        authority = authority[..<(end ?? url.endIndex)]
        let rest = url[authority.endIndex...]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
        guard let (host, port) = split(authority, defaultPort: isSecure ? 443 : 80) else { return nil }
        return Self(isSecure: isSecure, host: host, port: port, target: target(rest))
    }

    private static func split(
        _ authority: Slice<UnsafeBufferPointer<UInt8>>, defaultPort: UInt16
    ) -> (host: String, port: UInt16)? {
        let bracket = authority.lastIndex(of: UInt8(ascii: "]"))
        let colon = authority[(bracket ?? authority.startIndex)...].lastIndex(of: UInt8(ascii: ":"))
        let name = authority[..<(colon ?? authority.endIndex)]
        guard let host = HostName.ascii(name), let first = host.first,
            isValid(host[...], isBracketed: first == UInt8(ascii: "["))
        else { return nil }
        let digits = colon.map { authority[($0 + 1)...] } ?? authority[authority.endIndex...]
        let text = String(decoding: host, as: UTF8.self)
        if digits.isEmpty { return (text, defaultPort) }
        guard let number = Int(asciiDigits: digits), let port = UInt16(exactly: number), port > 0 else { return nil }
        return (text, port)
    }

    private static func isValid(_ host: ArraySlice<UInt8>, isBracketed: Bool) -> Bool {
        guard isBracketed else { return host.allSatisfy(hostBytes.contains) }
        return host.count > 2 && host.last == UInt8(ascii: "]")
            && host.dropFirst().dropLast().allSatisfy(addressBytes.contains)
    }

    /// Encodes the bytes that a request line cannot contain: space, control characters, and bytes from 0x7F on, which
    /// are UTF-8 of an IRI (RFC 3987 §3.1). All others are sent as they are, also those that RFC 3986 excludes, such as
    /// `|` and a `%` without digits: their escape would be another URL for some servers.
    private static func target(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        let used = rest[..<(rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex)]
        var target: [UInt8] = []
        target.reserveCapacity(used.count + 1)
        if used.first != UInt8(ascii: "/") { target.append(UInt8(ascii: "/")) }
        // Nearly all URLs need no escapes.
        if used.allSatisfy(visible.contains) {
            target.append(contentsOf: used)
        } else {
            target += PercentEncoding.encode(used, allowed: visible)
        }
        return target
    }

    /// The bytes 0x21...0x7E, without the `#` of a fragment.
    private static let visible = ASCIISet.alphanumerics.union("!\"$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    /// Bytes of a host name (RFC 3986 §3.2.2), without `:`.
    private static let hostBytes = ASCIISet.unreserved.union("!$&'()*+,;=%")
    /// Bytes of an IPv6 address with a zone.
    private static let addressBytes = ASCIISet.unreserved.union(":%")
}
