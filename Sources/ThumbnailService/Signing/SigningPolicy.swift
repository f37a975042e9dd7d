import PlatformImage

/// Policy for the first segment of a target: accepted signatures and the bytes that they cover.
struct SigningPolicy: Sendable {
    enum Query: String, Hashable, Sendable, CaseIterable {
        /// Targets with a query are rejected.
        case refuse
        /// The query is part of the signed message and of the source's URL.
        case signed
    }

    /// Keys for verification; nil accepts no signature.
    var keys: SigningKeys?
    /// Accepts `unsafe` in place of a signature.
    var allowsUnsafe = false
    var query = Query.refuse
    /// Also accepts a signature of the percent-decoded rest of the target. The decoded rest is then parsed instead of
    /// the rest as it was sent.
    var acceptsDecoded = false

    /// Maximum length of a target with its query, in bytes.
    static let maxTargetBytes = 8192

    /// Verifies the first segment of a target and returns the remaining part.
    ///
    /// - Throws: `targetTooLong`, `queryRefused`, `badSignature`, `unsafeNotAllowed` or `malformed`.
    func verified(_ target: some Sequence<UInt8>) throws(ServiceError) -> VerifiedParts {
        let bytes = Array(target)
        guard bytes.count <= Self.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "the target is longer than \(Self.maxTargetBytes) bytes")
        }
        guard bytes.first == UInt8(ascii: "/"),
            let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "/")), end > 1
        else { throw .malformed("the first segment of the target must be a signature or `unsafe`") }
        let queryStart = bytes.firstIndex(of: UInt8(ascii: "?"))
        guard query == .signed || queryStart == nil else {
            throw ServiceError(
                .queryRefused, "the target must not have a query; a ? in the source URL must be written as %3F")
        }
        // Only the first segment is removed: equal bytes later in the target are part of the message.
        let message = bytes[(end + 1)...]
        let path = bytes[(end + 1)..<max(queryStart ?? bytes.count, end + 1)]
        let raw = VerifiedParts(
            bytes: Array(path), isDecoded: false, query: queryStart.map { Array(bytes[($0 + 1)...]) })

        let first = bytes[1..<end]
        if first.elementsEqual("unsafe".utf8) {
            guard allowsUnsafe else {
                throw ServiceError(.unsafeNotAllowed, "unsigned targets are not allowed (signing.unsafe)")
            }
            return raw
        }
        guard let keys, let code = Base64URL.decode(Self.withPlainPadding(first)) else { throw Self.badSignature }
        if keys.verify(code, of: message) { return raw }
        if acceptsDecoded {
            let decoded = PercentEncoding.decode(message)
            // Only without a query: after decoding, a `?` from `%3F` would be equal to the `?` before the query.
            if keys.verify(code, of: decoded), queryStart == nil {
                return VerifiedParts(bytes: decoded, isDecoded: true, query: nil)
            }
        }
        throw Self.badSignature
    }

    /// Replaces `%3D` by `=`, because clients escape the padding. Any other escape is rejected: it would be another
    /// spelling of the same target, and a separate entry in caches before the service.
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
        ServiceError(.badSignature, "the signature does not match the target")
    }
}

/// Rest of a target after its verified first segment.
struct VerifiedParts: Hashable, Sendable {
    var bytes: [UInt8]
    /// True when the bytes are already percent-decoded and must not be decoded again.
    var isDecoded: Bool
    /// Bytes after the first `?`; nil without one.
    var query: [UInt8]?
}
