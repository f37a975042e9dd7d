#if Service
import Crypto
import HTTPTypes

/// The entity tag of a result: known before anything is rendered, once the source and the format are.
struct ETag: Hashable, Sendable {
    /// The tag as a field has it, with its quotes, strong: equal tags mean equal bytes.
    let fieldValue: String

    /// A tag that was given out before, with its quotes.
    init(fieldValue: String) { self.fieldValue = fieldValue }

    /// - Parameters:
    ///   - source: The source's strong validator, or the digest of its bytes.
    ///   - operations: ``ThumbnailRequest/canonicalOperations``.
    ///   - format: The format that negotiation has chosen, such as `image/jpeg`.
    ///   - version: The version of our pixels: raised whenever they or the encoders' settings change.
    init(source: some Collection<UInt8>, operations: some Collection<UInt8>, format: String, version: Int) {
        let parts = [Array("\(version)".utf8), Array(format.utf8), Array(source), Array(operations)]
        let digest = Array(SHA256.hash(parts: parts).prefix(16))
        fieldValue = "\"\(Base64URL.encode(digest).prefix { $0 != "=" })\""
    }

    /// True when a value of `If-None-Match` names this tag: then 304 is the answer, whatever `If-Modified-Since` says
    /// (RFC 9110 §13.2.2).
    ///
    /// - Parameter value: All lines joined by commas. `W/` does not count here, and what is no tag is passed over.
    func isNamed(in value: some Collection<UInt8>) -> Bool {
        let isBlank = { (byte: UInt8) in " \t,".utf8.contains(byte) }
        let wanted = Array(fieldValue.utf8)
        var rest = Array(value)[...]
        if rest.filter({ !isBlank($0) }).elementsEqual("*".utf8) { return true }
        while true {
            rest = rest.drop(while: isBlank)
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else {
                // Not a tag: the next one begins after a comma.
                guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return false }
                rest = rest[comma...]
                continue
            }
            // A comma inside the quotes belongs to the tag.
            guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return false }
            if rest[...end].elementsEqual(wanted) { return true }
            rest = rest[(end + 1)...]
        }
    }
}

/// What a client says about the copy that it has (RFC 9110 §13.1).
struct ConditionalRequest: Sendable {
    /// The lines of If-None-Match joined; nil for none.
    let ifNoneMatch: String?
    /// The line of If-Modified-Since; nil for none.
    let ifModifiedSince: String?

    init(_ fields: HTTPFields) {
        ifNoneMatch = fields[.ifNoneMatch]
        ifModifiedSince = fields[.ifModifiedSince]
    }

    /// True when the client's copy is the one that would be sent: then 304 is the answer. If-None-Match wins
    /// (RFC 9110 §13.2.2).
    ///
    /// - Parameters:
    ///   - entityTag: What would be sent, with its quotes.
    ///   - lastModified: Likewise, in seconds since 1970; nil when it is not known.
    ///   - now: Seconds since 1970.
    func isAnswered(byTag entityTag: String, lastModified: Int64?, now: Int64) -> Bool {
        if let ifNoneMatch { return ETag(fieldValue: entityTag).isNamed(in: Array(ifNoneMatch.utf8)) }
        guard let lastModified,
            let since = ifModifiedSince.flatMap({ LastModified(Array($0.utf8), now: now) })
        else { return false }
        return lastModified <= since.seconds
    }
}

extension SHA256 {
    /// Of several parts, each with its length before it, so that no two lists of parts run together.
    static func hash(parts: [[UInt8]]) -> SHA256Digest {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.count):".utf8))
            hash.update(data: part)
        }
        return hash.finalize()
    }
}
#endif
