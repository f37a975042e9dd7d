#if Loader
/// What the fields of a response say to a cache that serves many clients (RFC 9111 §3, §4.2), for hosts that pass on
/// what they make of it.
package struct SharedLifetime: Hashable, Sendable {
    /// Seconds that are left of the lifetime, below 0 when it is over; nil when the response gives none.
    package let remaining: Int64?
    /// Seconds since the origin made it.
    package let age: Int64
    /// True when only the one who asked may keep it: `private`, or cookies that were set with it.
    package let isPrivate: Bool
    /// True when nobody may keep it: `no-store`, or `Vary: *`.
    package let forbidsStoring: Bool

    /// - Parameters:
    ///   - fields: As a load gives them, with `Age` for a stored response.
    ///   - now: When they were given.
    package init(_ fields: HeaderFields, now: WallTime) {
        let control = CacheControl(fields)
        age = fields.age ?? 0
        isPrivate = control.contains("private") || fields.contains("Set-Cookie")
        forbidsStoring = control.noStore || fields.tokens(of: "Vary").contains("*")
        if control.noCache {
            remaining = 0
        } else if let seconds = control.lifetime(isShared: true) {
            remaining = seconds - age
        } else if fields.contains("Expires") {
            let date = fields.date("Date", now: now) ?? now.adding(milliseconds: -age * 1000)
            let lifetime = fields.date("Expires", now: now).map { ($0 - date) / 1000 } ?? 0
            remaining = max(0, lifetime) - age
        } else {
            remaining = nil
        }
    }
}
#endif
