#if Loader
import PlatformImage

extension CacheKey {
    /// The form of an address that names its resource (HTTP-CACHE 6.3, RFC 9110 §4.2.3); nil for what is no http(s)
    /// address: another scheme, no host, a port that is no number from 1 to 65535, or a character that no address may hold.
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

    /// True for an address that ``normalised(_:)`` surely gives back as it is; most are. False says nothing.
    private static func isNormal(_ url: String) -> Bool {
        url.utf8.withContiguousStorageIfAvailable { bytes in
            let scheme = bytes.starts(with: "http://".utf8) ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
            guard scheme > 0, scheme < bytes.count else { return false }
            // A name in lower case with at most a port that no scheme has by default.
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

    /// Host in lower case and a port that is not the default one. User information belongs to the partition, not here.
    private static func normalised(authority: ArraySlice<UInt8>, defaultPort: Int) -> [UInt8]? {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        var port: Int?
        // In an IPv6 literal the colons are inside brackets.
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
        guard !host.isEmpty, (host.first == UInt8(ascii: "[")) == (host.last == UInt8(ascii: "]")) else { return nil }
        let name = host.map(\.lowercasedASCII)
        guard let port, port != defaultPort else { return name }
        return name + ":\(port)".utf8
    }
}
#endif
