#if Loader
import PlatformImage

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

    /// Without the fields that concern one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    ///
    /// A `Connection` that lists a field on which reuse depends is in error and not followed there: without its `Age` or
    /// `Vary` a response would be used where it must not be.
    func removingConnectionFields() -> HeaderFields {
        let listed = tokens(of: "Connection").filter { !Self.governingFields.contains($0) }
        return HeaderFields(
            lines.filter { line in !line.isOfConnection && !listed.contains { line.isNamed($0) } })
    }

    /// Fields that say when and how the body may be used.
    private static let governingFields = [
        "age", "cache-control", "content-encoding", "date", "expires", "vary",
    ]

    /// How long the origin asks to wait (RFC 9110 §10.2.3), seconds or a date; nil when it does not say, says it in
    /// several lines or in no way that is known. At most 2^31 seconds; zero for a date that has passed.
    ///
    /// A date counts from the response's own `Date`, which is of the same clock; without one from `responseTime`.
    func retryAfter(responseTime: WallTime) -> Duration? {
        let lines = self[lines: "Retry-After"]
        guard lines.count == 1 else { return nil }
        let value = Array(lines[0].trimmingASCIIBlanks())
        if let seconds = DeltaSeconds.parse(value) { return .seconds(seconds) }
        guard let end = HTTPDate.parse(value, now: responseTime) else { return nil }
        let milliseconds = end - (date("Date", now: responseTime) ?? responseTime)
        return .milliseconds(Swift.min(Swift.max(milliseconds, 0), DeltaSeconds.max * 1000))
    }
}

extension HeaderField {
    /// True for the fields that are never stored. The length leaves one or two of them to compare with.
    fileprivate var isOfConnection: Bool {
        switch name.utf8.count {
        case 2: isNamed("te")
        case 7: isNamed("trailer") || isNamed("upgrade")
        case 10: isNamed("connection") || isNamed("keep-alive")
        case 16: isNamed("proxy-connection")
        case 17: isNamed("transfer-encoding")
        case 18: isNamed("proxy-authenticate")
        case 19: isNamed("proxy-authorization")
        case 25: isNamed("proxy-authentication-info")
        default: false
        }
    }
}
#endif
