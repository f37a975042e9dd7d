#if Service
import HTTPTypes

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
    /// - Parameter now: Seconds since 1970.
    func isAnswered(by facts: StoredResult.Facts, now: Int64) -> Bool {
        if let ifNoneMatch { return ETag(fieldValue: facts.entityTag).isNamed(in: Array(ifNoneMatch.utf8)) }
        guard let lastModified = facts.lastModified,
            let since = ifModifiedSince.flatMap({ LastModified(Array($0.utf8), now: now) })
        else { return false }
        return lastModified <= since.seconds
    }
}
#endif
