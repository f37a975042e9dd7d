#if Loader
extension HeaderFields {
    /// The conditions under which a stored body is still good (RFC 9111 §4.3.1): the entity tag and the date of the last
    /// modification, as they were received. Empty when the response has neither.
    var conditions: HeaderFields {
        var conditions: HeaderFields = [:]
        for (name, condition) in [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")] {
            let lines = self[lines: name]
            // Of several lines nobody knows which one is meant.
            guard lines.count == 1, !lines[0].isEmpty else { continue }
            conditions.lines.append(HeaderField(condition, bytes: lines[0]))
        }
        return conditions
    }

    /// True when these are the fields of a 304 that speaks of another body than `stored` has: it carries a strong entity
    /// tag, and not the stored one (RFC 9111 §4.3.4).
    func speaksOfAnotherBody(than stored: HeaderFields) -> Bool {
        let weak = Array("W/".utf8)
        guard let tag = self[lines: "ETag"].first, !tag.starts(with: weak) else { return false }
        guard let own = stored[lines: "ETag"].first else { return false }
        // A strong tag and the weak one of the same letters: the server knows the body by both.
        return tag != (own.starts(with: weak) ? Array(own.dropFirst(2)) : own)
    }

    /// True when the caller itself asks on conditions or for a part: the answer is then the caller's to understand.
    var hasOwnConditions: Bool {
        ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
            .contains(where: contains)
    }
}
#endif
