#if Loader
import PlatformImage

/// The five parts of an address or of a reference to one, as bytes (RFC 3986 §4.1); nothing is decoded or encoded.
struct URLReference: Hashable, Sendable {
    /// As written, without the colon; nil in a relative reference.
    var scheme: [UInt8]?
    /// What follows `//`: user information, host and port; nil without the slashes, which differs from empty.
    var authority: [UInt8]?
    /// Empty or with its slashes.
    var path: [UInt8]
    /// What follows the first `?`; nil without one.
    var query: [UInt8]?
    /// What follows the first `#`; nil without one.
    var fragment: [UInt8]?

    /// Splits any bytes (RFC 3986 appendix B): every text has such parts, whether or not an address may hold them.
    ///
    /// What comes before a colon is a scheme only when it is spelled like one (§3.1), and otherwise part of the path.
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

    /// The parts put together again (RFC 3986 §5.3).
    var bytes: [UInt8] {
        var result: [UInt8] = []
        if let scheme { result += scheme + ":".utf8 }
        if let authority { result += "//".utf8 + authority }
        result += path
        if let query { result += "?".utf8 + query }
        if let fragment { result += "#".utf8 + fragment }
        return result
    }

    /// What this reference means in a document at `base`, strictly by RFC 3986 §5.2.2.
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

    /// The relative path in place of the last segment of the base's (RFC 3986 §5.2.3).
    private func merged(with base: URLReference) -> [UInt8] {
        if base.authority != nil, base.path.isEmpty { return "/".utf8 + path }
        let kept = base.path.lastIndex(of: UInt8(ascii: "/")).map { base.path[...$0] } ?? []
        return kept + path
    }

    /// Takes `.` and `..` out (RFC 3986 §5.2.4); a `..` above the root goes nowhere.
    private static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        let isRooted = path.first == UInt8(ascii: "/")
        if isRooted { segments = segments.dropFirst() }
        var kept: [ArraySlice<UInt8>] = []
        while let segment = segments.popFirst() {
            let isLast = segments.isEmpty
            switch Array(segment) {
            case Array(".".utf8):
                // A dot at the end stands for the folder: its slash stays.
                if isLast { kept.append([]) }
            case Array("..".utf8):
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default:
                kept.append(segment)
            }
        }
        return (isRooted ? Array("/".utf8) : []) + Array(kept.joined(separator: "/".utf8))
    }

    /// `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }
}
#endif
