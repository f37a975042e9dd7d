import PlatformImage
import PlatformImageLoader

extension SourceName {
    /// Parses the last part of a thumbor target as a source.
    ///
    /// - Parameters:
    ///   - name: Percent-decoded once. `http:/host` and `https:/host` are accepted as `http://host` and
    ///     `https://host`: many proxies merge slashes in paths.
    ///   - defaultScheme: Scheme for a name without a scheme; nil when such a name is a file.
    /// - Throws: `malformed` for a name that is empty or contains control characters, and for the name of a file that
    ///   is not UTF-8. Bytes of a URL that are not UTF-8 are percent-encoded.
    init(named name: [UInt8], defaultScheme: String?) throws(ServiceError) {
        let name = Self.withSlashesOfScheme(name)
        guard !name.isEmpty else { throw .malformed("the target has no source") }
        guard !name.contains(where: { $0.isASCIIControl }) else {
            throw .malformed("the source contains control characters")
        }
        if let end = Self.schemeEnd(name) {
            self = .url(Self.normalizedURL(name, authorityStart: end + 3))
        } else if let defaultScheme {
            let prefix = Array("\(defaultScheme)://".utf8)
            self = .url(Self.normalizedURL(prefix + name, authorityStart: prefix.count))
        } else {
            guard let text = String(validating: name, as: UTF8.self) else {
                throw .malformed("the source is the name of a file and not UTF-8")
            }
            self = .file(text)
        }
    }

    /// Inserts the second slash after `http:` or `https:` when only one slash follows.
    private static func withSlashesOfScheme(_ name: [UInt8]) -> [UInt8] {
        for scheme in ["http:/", "https:/"] {
            let count = scheme.utf8.count
            guard name.count > count, name[count] != UInt8(ascii: "/"),
                name[..<count].elementsEqual(scheme.utf8, by: { $0.lowercasedASCII == $1 })
            else { continue }
            return Array(name[..<count]) + [UInt8(ascii: "/")] + Array(name[count...])
        }
        return name
    }

    /// Returns the index of the colon in `scheme://`; nil without a scheme. The colon before a port is not followed by
    /// slashes.
    private static func schemeEnd(_ name: [UInt8]) -> Int? {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            name[(colon + 1)...].starts(with: "//".utf8),
            name[..<colon].allSatisfy({ $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }), !name[0].isASCIIDigit
        else { return nil }
        return colon
    }

    /// Normalizes a URL: scheme and host in lower case, an internationalized host in ASCII (A-labels, RFC 5891), and
    /// all bytes escaped that a URL does not allow. Existing escapes remain unchanged, because they belong to the
    /// origin's URL.
    private static func normalizedURL(_ url: [UInt8], authorityStart: Int) -> String {
        let name = withASCIIHost(url, authorityStart: authorityStart)
        let isDelimiter = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }
        let pathStart = name[authorityStart...].firstIndex(where: isDelimiter) ?? name.count
        // User information (`user@host`) is case-sensitive, so the case of such an authority is preserved. URLs with
        // user information are refused later.
        let hasNoUserInfo = !name[authorityStart..<pathStart].contains(UInt8(ascii: "@"))
        var normalized: [UInt8] = []
        normalized.reserveCapacity(name.count)
        var index = 0
        while index < name.count {
            let byte = name[index]
            if PercentEncoding.escapedByte(in: name, at: index) != nil {
                normalized += name[index..<(index + 3)]
                index += 3
                continue
            }
            if isAllowed(byte, inPath: index >= pathStart) {
                let isCaseInsensitive = index < authorityStart || (index < pathStart && hasNoUserInfo)
                normalized.append(isCaseInsensitive ? byte.lowercasedASCII : byte)
            } else {
                PercentEncoding.append(escapeOf: byte, to: &normalized)
            }
            index += 1
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// Replaces an internationalized host by its ASCII form; a URL with another or an invalid host remains unchanged.
    private static func withASCIIHost(_ url: [UInt8], authorityStart: Int) -> [UInt8] {
        let end = url[authorityStart...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.count
        let authority = url[authorityStart..<end]
        guard !authority.contains(UInt8(ascii: "@")), !authority.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return url }
        let port = authority.lastIndex(of: UInt8(ascii: ":")) ?? end
        guard let host = HostName.ascii(authority[..<port]) else { return url }
        return url[..<authorityStart] + host + url[port...]
    }

    /// Returns true for bytes that RFC 3986 allows unescaped, except the number sign: it would begin a fragment, which
    /// is never sent.
    private static func isAllowed(_ byte: UInt8, inPath: Bool) -> Bool {
        switch byte {
        case _ where byte.isASCIIAlphanumeric: true
        // Ranges: `-` to `;` with the digits, `&` to `,`, then `?` and `@`.
        case 0x2D...0x3B, 0x26...0x2C, 0x3F, 0x40: true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "["), UInt8(ascii: "]"): !inPath
        default: false
        }
    }
}
