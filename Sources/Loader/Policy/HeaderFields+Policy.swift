import PlatformImage

extension HeaderFields {
    /// Conditional request fields that validate a stored body (RFC 9111 §4.3.1), from `ETag` and `Last-Modified` as
    /// received; empty when the response has neither.
    var conditions: HeaderFields {
        var conditions: HeaderFields = [:]
        for (name, condition) in [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")] {
            let lines = self[lines: name]
            // With several lines it is ambiguous which one is the validator.
            guard lines.count == 1, let line = lines.first, !line.isEmpty else { continue }
            conditions.lines.append(HeaderField(condition, bytes: line))
        }
        return conditions
    }

    /// Returns true when these fields of a 304 identify another body than `stored`: they have a strong entity tag that
    /// differs from the stored one (RFC 9111 §4.3.4).
    func identifiesOtherBody(than stored: HeaderFields) -> Bool {
        let weak = Array("W/".utf8)
        guard let tag = self[lines: "ETag"].first, !tag.starts(with: weak) else { return false }
        guard let storedTag = stored[lines: "ETag"].first else { return false }
        // A strong tag and a weak tag with the same opaque part match: the server uses both for this body.
        return tag != (storedTag.starts(with: weak) ? Array(storedTag.dropFirst(2)) : storedTag)
    }

    /// True when the caller set a conditional or range field: the caller then interprets the response.
    var hasCallerConditions: Bool {
        ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
            .contains(where: contains)
    }

    /// Returns the fields without connection-specific ones (RFC 9110 §7.6.1, RFC 9111 §3.1).
    ///
    /// Fields that govern reuse are retained even if `Connection` lists them, which is an error: without `Age` or
    /// `Vary` the response could be reused wrongly.
    func removingConnectionFields() -> HeaderFields {
        let listed = tokens(of: "Connection").filter { !Self.governingFields.contains($0) }
        return HeaderFields(
            lines.filter { line in !line.isOfConnection && !listed.contains { line.isNamed($0) } })
    }

    /// Fields that govern when and how the body may be reused.
    private static let governingFields = [
        "age", "cache-control", "content-encoding", "date", "expires", "vary",
    ]

    /// Returns the delay of `Retry-After` (RFC 9110 §10.2.3), 0 to 2^31 seconds, 0 for a past date; nil when the field
    /// is missing, has several lines, or is invalid.
    ///
    /// A date is compared with the response's `Date`, because both come from the origin's clock. Without a valid `Date`
    /// it is compared with `responseTime`.
    func retryAfter(responseTime: WallTime) -> Duration? {
        let lines = self[lines: "Retry-After"]
        guard lines.count == 1 else { return nil }
        let value = Array((lines.first ?? []).trimmingASCIIBlanks())
        if let seconds = DeltaSeconds.parse(value) { return .seconds(seconds) }
        guard let end = HTTPDate.parse(value, now: responseTime) else { return nil }
        let milliseconds = end.milliseconds(since: date("Date", now: responseTime) ?? responseTime)
        return .milliseconds(Swift.min(Swift.max(milliseconds, 0), DeltaSeconds.max &* 1000))
    }
}

extension HeaderField {
    /// True for connection-specific fields, which are never stored. The lengths are compared first, so that at most two
    /// names remain to be compared.
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
