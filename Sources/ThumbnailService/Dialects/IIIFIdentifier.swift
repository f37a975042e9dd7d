#if Service
/// Rules for identifiers of IIIF. They are unsigned, so the folder or prefix that they are mapped to is the only bound.
enum IIIFIdentifier {
    /// Times that an identifier may be percent-encoded on top of the encoding of the target.
    static let maxEncodings = 4

    /// Returns false for an identifier that an origin might resolve to a path outside the prefix.
    ///
    /// Every segment needs a name other than `.` and `..` (RFC 3986 section 5.2.4) in front of `;`, where some servers
    /// cut parameters off before they resolve dot segments. A backslash separates segments too, as some servers have it.
    /// The rules hold again after each further decoding, because an origin or a proxy may decode once more.
    ///
    /// - Parameter identifier: Percent-decoded once.
    static func staysBelowPrefix(_ identifier: [UInt8]) -> Bool {
        var bytes = identifier
        for _ in 0...maxEncodings {
            guard hasOnlyNamedSegments(bytes) else { return false }
            let decoded = bytes[...].percentDecoded
            if decoded == bytes { return true }
            bytes = decoded
        }
        return false
    }

    private static func hasOnlyNamedSegments(_ bytes: [UInt8]) -> Bool {
        bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .allSatisfy { segment in
                // NUL ends a path for servers written in C.
                let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != 0 }
                return !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            }
    }
}

extension ServiceConfiguration.IdentifierMap {
    /// Returns true for an address of http or https with a host, and a path that ends with `/`.
    ///
    /// Without that slash an identifier continues the host, the port or the last segment of the path. A query or a
    /// fragment is refused: an identifier may contain `&`, and a fragment never reaches an origin.
    static func isPrefix(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "/"), !text.utf8.contains(where: { "?#".utf8.contains($0) }) else {
            return false
        }
        do throws(ServiceError) {
            _ = try SourceTarget(text)
            return true
        } catch {
            return false
        }
    }
}
#endif
