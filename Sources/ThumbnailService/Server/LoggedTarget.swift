import PlatformImage

/// Formats a request target for logs (SV22 in Docs/service-security.md): without its signature and without
/// queries and user information of sources, in printable ASCII.
enum LoggedTarget {
    /// Maximum number of target bytes that are logged.
    static let maxBytes = 512

    /// First segments that are not secrets; any other first segment may be a signature.
    private static let publicSegments: Set<String> = [
        "unsafe", "iiif", "post", "health", "healthcheck", "metrics", "gallery", "favicon.ico", "robots.txt",
    ]

    static func text(_ target: String) -> String {
        var segments = splitSegments(Array(target.utf8))
        if segments.count > 1 {
            // Leading empty segments make the target invalid, but a signature may follow them.
            var first = segments.indices.dropFirst().first { !segments[$0].bytes.isEmpty } ?? segments.endIndex
            if first < segments.endIndex, segments[first].text == "post" {
                first = segments.indices.first { $0 > first && !segments[$0].bytes.isEmpty } ?? first
            }
            for index in segments.indices.dropFirst()
            where index == first ? !publicSegments.contains(segments[index].text) : segments[index].isSignature {
                segments[index].bytes = Array("-".utf8)
            }
        }
        var result: [UInt8] = []
        for (index, segment) in segments.enumerated() {
            result += segment.separator
            let isLast = index == segments.count - 1
            // A segment may be a URI authority when a slash follows it, when `//` precedes it, or when it contains a
            // colon.
            let isAuthority = !isLast || segment.isAfterEmpty || segment.bytes.contains(UInt8(ascii: ":"))
            result += isAuthority ? segment.withoutUser : segment.bytes
        }
        return escaped(result)
    }

    private struct Segment {
        /// The slash before the segment as it was written; empty for the first segment.
        var separator: [UInt8]
        var bytes: [UInt8]
        var isAfterEmpty = false

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// True for padded base64url of 20 or 32 bytes, with any percent-encoding.
        var isSignature: Bool {
            var decoded: [UInt8] = []
            var index = 0
            while index < bytes.count, decoded.count <= 44 {
                let (byte, end) = LoggedTarget.decoded(bytes, index)
                decoded.append(byte)
                index = end
            }
            // 28 and 44 characters without padding encode 21 and 33 bytes.
            return index == bytes.count && [20, 32].contains(Base64URL.decode(decoded)?.count)
        }

        /// The bytes after the last `@` in any percent-encoding, prefixed with `-@`; unchanged without an `@`.
        var withoutUser: [UInt8] {
            guard let end = LoggedTarget.end(ofLast: UInt8(ascii: "@"), in: bytes) else { return bytes }
            return Array("-@".utf8) + bytes[end...]
        }
    }

    /// Splits the target at slashes, plain or percent-encoded any number of times, up to the first question mark or
    /// number sign.
    private static func splitSegments(_ target: [UInt8]) -> [Segment] {
        var segments = [Segment(separator: [], bytes: [])]
        var index = 0
        while index < target.count {
            let (byte, end) = decoded(target, index)
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                segments[segments.count - 1].bytes += Array("?-".utf8)
                break
            }
            if byte == UInt8(ascii: "/") {
                let isAfterEmpty = segments.last?.bytes.isEmpty == true && segments.count > 1
                segments.append(
                    Segment(separator: Array(target[index..<end]), bytes: [], isAfterEmpty: isAfterEmpty))
            } else {
                segments[segments.count - 1].bytes += target[index..<end]
            }
            index = end
        }
        return segments
    }

    /// Returns the byte at an index with nested percent-encoding (`%2525…XX`) decoded, and the index after it.
    private static func decoded(_ bytes: [UInt8], _ index: Int) -> (byte: UInt8, end: Int) {
        guard bytes[index] == UInt8(ascii: "%") else { return (bytes[index], index + 1) }
        var digits = index + 1
        while digits + 1 < bytes.count, bytes[digits] == UInt8(ascii: "2"), bytes[digits + 1] == UInt8(ascii: "5") {
            digits += 2
        }
        guard digits + 1 < bytes.count, let high = bytes[digits].asciiHexValue,
            let low = bytes[digits + 1].asciiHexValue
        else {
            return (bytes[index], index + 1)
        }
        return (high << 4 | low, digits + 2)
    }

    private static func end(ofLast searched: UInt8, in bytes: [UInt8]) -> Int? {
        var lastEnd: Int?
        var index = 0
        while index < bytes.count {
            let (byte, end) = decoded(bytes, index)
            if byte == searched { lastEnd = end }
            index = end
        }
        return lastEnd
    }

    private static func escaped(_ bytes: [UInt8]) -> String {
        var result = ""
        for byte in bytes.prefix(maxBytes) {
            if (0x21...0x7E).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + String(hexadecimal: [byte])
            }
        }
        return bytes.count > maxBytes ? result + "..." : result
    }
}
