import PlatformImageLoader

/// Entity tag of a result. It depends only on the source, the operations, the format and the version of the
/// rendered pixels, so it is known before the render.
struct ETag: Hashable, Sendable {
    /// The strong tag with its quotes: equal tags mean equal bytes.
    let fieldValue: String

    /// Wraps a tag that was computed before, with its quotes.
    init(fieldValue: String) { self.fieldValue = fieldValue }

    /// Computes the tag: the first 128 bits of a SHA-256 digest, in base64url.
    ///
    /// - Parameters:
    ///   - source: Digest of the source's bytes, or of its URL and strong validator (``SourceBytes/digest``).
    ///   - operations: ``ThumbnailRequest/canonicalOperations``.
    ///   - format: The negotiated media type, such as `image/jpeg`.
    ///   - version: Version of the rendered pixels; raised when the pixels or the encoder settings change.
    init(source: some Collection<UInt8>, operations: some Collection<UInt8>, format: String, version: Int) {
        let parts = [Array("\(version)".utf8), Array(format.utf8), Array(source), Array(operations)]
        let digest = Array(SHA256.hash(parts: parts).prefix(16))
        fieldValue = "\"\(Base64URL.encode(digest).prefix { $0 != "=" })\""
    }

    /// Returns true when a value of `If-None-Match` contains this tag or is `*`; the response is then 304 (RFC 9110
    /// §13.1.2).
    ///
    /// - Parameter value: All field lines joined by commas. Weak comparison: `W/` is ignored. Elements that are not
    ///   tags are skipped.
    func matches(ifNoneMatch value: some Collection<UInt8>) -> Bool {
        let isBlank = { (byte: UInt8) in " \t,".utf8.contains(byte) }
        let tag = Array(fieldValue.utf8)
        var rest = Array(value)[...]
        if rest.filter({ !isBlank($0) }).elementsEqual("*".utf8) { return true }
        while true {
            rest = rest.drop(while: isBlank)
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else {
                // Not a tag: the next element begins after a comma.
                guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return false }
                rest = rest[comma...]
                continue
            }
            // A comma inside the quotes is part of the tag.
            guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return false }
            if rest[...end].elementsEqual(tag) { return true }
            rest = rest[(end + 1)...]
        }
    }
}

/// Preconditions of a conditional request (RFC 9110 §13.1).
struct ConditionalRequest: Sendable {
    /// Joined field lines of `If-None-Match`; nil without the field.
    let ifNoneMatch: String?
    /// Field line of `If-Modified-Since`; nil without the field.
    let ifModifiedSince: String?

    /// Returns true when the client's copy is current, so that the response is 304. `If-None-Match` takes precedence
    /// over `If-Modified-Since` (RFC 9110 §13.2.2).
    ///
    /// - Parameters:
    ///   - entityTag: Entity tag of the current representation, with its quotes.
    ///   - lastModified: Modification time of the current representation in seconds since 1970; nil when it is not
    ///     known.
    ///   - now: Seconds since 1970.
    func isNotModified(entityTag: String, lastModified: Int64?, now: Int64) -> Bool {
        if let ifNoneMatch { return ETag(fieldValue: entityTag).matches(ifNoneMatch: Array(ifNoneMatch.utf8)) }
        guard let lastModified,
            let since = ifModifiedSince.flatMap({ LastModified(Array($0.utf8), now: now) })
        else { return false }
        return lastModified <= since.seconds
    }
}

extension SHA256 {
    /// Returns the digest of several parts. Each part is prefixed with its length, so that different lists never have
    /// equal hash input.
    static func hash(parts: [[UInt8]]) -> [UInt8] {
        var hash = SHA256()
        for part in parts {
            hash.update(Array("\(part.count):".utf8))
            hash.update(part)
        }
        return hash.finalize()
    }
}
