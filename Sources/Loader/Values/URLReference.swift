import PlatformImage

/// The five components of a URI reference as bytes (RFC 3986 §4.1); nothing is decoded or encoded.
struct URLReference: Hashable, Sendable {
    /// The scheme as written, without the colon; nil in a relative reference.
    var scheme: [UInt8]?
    /// The part after `//`: user information, host and port; nil without the slashes. An empty authority is different
    /// from nil.
    var authority: [UInt8]?
    /// The path with its slashes; may be empty.
    var path: [UInt8]
    /// The part between the first `?` and the fragment; nil without a `?` before the fragment.
    var query: [UInt8]?
    /// The part after the first `#`; nil without one.
    var fragment: [UInt8]?

    /// Splits any bytes (RFC 3986 appendix B); they need not form a valid URI.
    ///
    /// The part before a colon is a scheme only if it matches the grammar of §3.1; otherwise it belongs to the path.
    init(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Array(rest[(hash + 1)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Array(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = Array(rest[..<colon])
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Array(rest[..<end])
            rest = rest[end...]
        }
        path = Array(rest)
    }

    /// The components recombined (RFC 3986 §5.3).
    var bytes: [UInt8] {
        var result: [UInt8] = []
        if let scheme { result += scheme + ":".utf8 }
        if let authority { result += "//".utf8 + authority }
        result += path
        if let query { result += "?".utf8 + query }
        if let fragment { result += "#".utf8 + fragment }
        return result
    }

    /// Resolves this reference against `base`, strictly by RFC 3986 §5.2.2.
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil || authority != nil {
            target.scheme = scheme ?? base.scheme
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.first == UInt8(ascii: "/") {
            target.path = Self.removingDotSegments(path)
        } else {
            target.path = Self.removingDotSegments(merged(with: base))
        }
        return target
    }

    /// Returns the relative path merged with the base's path (RFC 3986 §5.2.3).
    private func merged(with base: URLReference) -> [UInt8] {
        if base.authority != nil, base.path.isEmpty { return "/".utf8 + path }
        let retained = base.path.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] } ?? []
        return retained + path
    }

    /// Removes `.` and `..` segments (RFC 3986 §5.2.4); a `..` above the root is dropped.
    private static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        let isRooted = path.first == UInt8(ascii: "/")
        if isRooted { segments = segments.dropFirst() }
        var retained: [ArraySlice<UInt8>] = []
        while let segment = segments.popFirst() {
            let isLast = segments.isEmpty
            switch Array(segment) {
            case Array(".".utf8):
                // A trailing dot segment denotes the folder: retain its slash.
                if isLast { retained.append([]) }
            case Array("..".utf8):
                _ = retained.popLast()
                if isLast { retained.append([]) }
            default:
                retained.append(segment)
            }
        }
        return (isRooted ? Array("/".utf8) : []) + Array(retained.joined(separator: "/".utf8))
    }

    /// True for bytes that match the grammar of a scheme: `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (RFC 3986 §3.1).
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }
}
