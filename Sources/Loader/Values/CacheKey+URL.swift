import PlatformImage

extension CacheKey {
    /// Returns the normalized form of an http(s) URL (Docs/http-cache.md 6.3, RFC 9110 §4.2.3); nil for any other
    /// scheme, an empty host, an invalid internationalized host name, unbalanced brackets of an IPv6 address, a port
    /// outside 1...65535, a space, or an ASCII control character.
    static func normalised(_ url: String) -> String? {
        if isNormal(url) { return url }
        var rest = Array(url.utf8)[...]
        guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = rest[..<colon].map(\.lowercasedASCII)
        let defaultPort: Int
        switch String(decoding: scheme, as: UTF8.self) {
        case "http": defaultPort = 80
        case "https": defaultPort = 443
        default: return nil
        }
        rest = rest[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { return nil }
        rest = rest.dropFirst(2)
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard let authority = normalised(authority: rest[..<authorityEnd], defaultPort: defaultPort) else { return nil }
        rest = rest[authorityEnd...]
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        let slash: [UInt8] = rest.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return String(decoding: scheme + "://".utf8 + authority + slash + rest, as: UTF8.self)
    }

    /// Returns true for most URLs that ``normalised(_:)`` returns unchanged; false does not imply that it changes the
    /// URL.
    private static func isNormal(_ url: String) -> Bool {
        url.utf8.withContiguousStorageIfAvailable { bytes in
            let scheme = bytes.starts(with: "http://".utf8) ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
            guard scheme > 0, scheme < bytes.count else { return false }
            // A lowercase host name with an optional port of 4 or 5 digits, which is never a default port.
            guard let end = bytes[scheme...].firstIndex(of: UInt8(ascii: "/")), end > scheme else { return false }
            var host = bytes[scheme..<end]
            if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
                let port = host[(colon + 1)...]
                guard colon > scheme, port.count == 4 || port.count == 5, port.first != UInt8(ascii: "0"),
                    let number = Int(asciiDigits: port), number <= 65_535
                else { return false }
                host = host[..<colon]
            }
            guard host.allSatisfy({ $0 >= 0x61 && $0 <= 0x7A || $0.isASCIIDigit || $0 == 0x2E || $0 == 0x2D })
            else { return false }
            return bytes[end...].allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }
        } ?? false
    }

    /// Returns the host in lower case and ASCII, followed by the port if it is not `defaultPort`; nil for an invalid
    /// authority. User information is removed: credentials select the partition of the key.
    private static func normalised(authority: ArraySlice<UInt8>, defaultPort: Int) -> [UInt8]? {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        var port: Int?
        // The colons of an IPv6 literal are inside brackets.
        let afterBracket = host.lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? host.startIndex
        if let colon = host[afterBracket...].firstIndex(of: UInt8(ascii: ":")) {
            let digits = host[(colon + 1)...]
            if !digits.isEmpty {
                guard digits.count <= 5, let number = Int(asciiDigits: digits), (1...65_535).contains(number) else {
                    return nil
                }
                port = number
            }
            host = host[..<colon]
        }
        guard !host.isEmpty, (host.first == UInt8(ascii: "[")) == (host.last == UInt8(ascii: "]")),
            let name = HostName.ascii(host)?.map(\.lowercasedASCII), !name.isEmpty
        else { return nil }
        guard let port, port != defaultPort else { return name }
        return name + ":\(port)".utf8
    }
}
