#if Service
import PlatformImage

/// Which first segments of a target are accepted, and which bytes they vouch for.
struct SigningPolicy: Sendable {
    enum Query: String, Hashable, Sendable, CaseIterable {
        /// A target with a query is an error.
        case refuse
        /// The query belongs to the signed message and to the picture's address.
        case signed
    }

    /// Nil: no signature is accepted.
    var keys: SigningKeys?
    /// Accepts `unsafe` in the place of a signature.
    var allowsUnsafe = false
    var query = Query.refuse
    /// Accepts a signature of the percent-decoded rest too; that is then what is parsed.
    var acceptsDecoded = false

    /// The longest target, with its query, in bytes.
    static let maxTargetBytes = 8192

    /// Checks the first segment of a target and gives what follows it.
    ///
    /// - Throws: `targetTooLong`, `queryRefused`, `badSignature`, `unsafeNotAllowed` or `malformed`.
    func verified(_ target: some Sequence<UInt8>) throws(ServiceError) -> VerifiedParts {
        let bytes = Array(target)
        guard bytes.count <= Self.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "a target has at most \(Self.maxTargetBytes) bytes")
        }
        guard bytes.first == UInt8(ascii: "/"),
            let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "/")), end > 1
        else { throw .malformed("a target begins with a signature or unsafe") }
        let queryStart = bytes.firstIndex(of: UInt8(ascii: "?"))
        guard query == .signed || queryStart == nil else {
            throw ServiceError(.queryRefused, "a target has no query; a ? of the picture's address is written %3F")
        }
        // Cut off at this place and no other: the same bytes further on are the message's own.
        let message = bytes[(end + 1)...]
        let path = bytes[(end + 1)..<max(queryStart ?? bytes.count, end + 1)]
        let raw = VerifiedParts(
            bytes: Array(path), isDecoded: false, query: queryStart.map { Array(bytes[($0 + 1)...]) })

        let first = bytes[1..<end]
        if first.elementsEqual("unsafe".utf8) {
            guard allowsUnsafe else { throw ServiceError(.unsafeNotAllowed, "the target is not signed") }
            return raw
        }
        guard let keys, let code = Base64URL.decode(Self.withPlainPadding(first)) else { throw Self.badSignature }
        if keys.verify(code, of: message) { return raw }
        if acceptsDecoded {
            let decoded = PercentEncoding.decode(message)
            // A decoded question mark would make a query of what was none.
            if keys.verify(code, of: decoded), queryStart == nil {
                return VerifiedParts(bytes: decoded, isDecoded: true, query: nil)
            }
        }
        throw Self.badSignature
    }

    /// The segment with `%3D` as `=`: clients escape the padding and nothing else. Any other escape would be one more
    /// spelling of the same target, and each spelling is a cache entry of its own in front of the service.
    private static func withPlainPadding(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = segment
        while let byte = rest.first {
            let isEscapedPadding = rest.starts(with: "%3D".utf8) || rest.starts(with: "%3d".utf8)
            bytes.append(isEscapedPadding ? UInt8(ascii: "=") : byte)
            rest = rest.dropFirst(isEscapedPadding ? 3 : 1)
        }
        return bytes
    }

    private static var badSignature: ServiceError {
        ServiceError(.badSignature, "the signature does not belong to the target")
    }
}

/// What follows the first segment of a target, once that was accepted.
struct VerifiedParts: Hashable, Sendable {
    var bytes: [UInt8]
    /// Decoded already, and therefore not again.
    var isDecoded: Bool
    /// What follows the first `?`; nil without one.
    var query: [UInt8]?
}
#endif
