/// The cacheability of a response for a shared cache (RFC 9111 §3, §4.2), for applications that serve derived content.
package struct SharedLifetime: Hashable, Sendable {
    /// Remaining freshness lifetime in seconds, 0 or less when it has ended, 0 for `no-cache`; nil when the response
    /// states none.
    package let remaining: Int64?
    /// Age of the response in seconds.
    package let age: Int64
    /// True when only a private cache may store the response: `private`, or `Set-Cookie`.
    package let isPrivate: Bool
    /// True when no cache may store the response: `no-store`, or `Vary: *`.
    package let forbidsStoring: Bool

    /// Computes the values from the fields of a response.
    ///
    /// - Parameters:
    ///   - fields: The fields that a load returned, with `Age` for a stored response.
    ///   - now: The time at which the load returned the fields.
    package init(_ fields: HeaderFields, now: WallTime) {
        let control = CacheControl(fields)
        age = fields.age ?? 0
        isPrivate = control.contains("private") || fields.contains("Set-Cookie")
        forbidsStoring = control.noStore || fields.tokens(of: "Vary").contains("*")
        if control.noCache {
            remaining = 0
        } else if let seconds = control.lifetime(isShared: true) {
            remaining = seconds &- age
        } else if fields.contains("Expires") {
            let date = fields.date("Date", now: now) ?? now.adding(milliseconds: 0 &- age &* 1000)
            let lifetime = fields.date("Expires", now: now).map { $0.milliseconds(since: date) / 1000 } ?? 0
            remaining = max(0, lifetime) &- age
        } else {
            remaining = nil
        }
    }
}
