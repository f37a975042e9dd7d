/// Rules for storing responses (RFC 9111 §3, Docs/http-cache.md 6.1).
enum Storability {
    /// Statuses whose caching requirements are implemented, for `must-understand` (RFC 9111 §5.2.2.3).
    static let understood: Set<Int> = [200, 203, 301, 302, 303, 307, 308, 404, 410]

    /// Returns true for 200, 203 and the 2xx that RFC 9110 does not define, which are treated as 200 (§15).
    static func isSuccess(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 207...299: true
        default: false
        }
    }

    /// Returns true for the statuses of redirects whose target is in `Location` (RFC 9110 §15.4).
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns true for 400...599.
    static func isError(_ status: Int) -> Bool { (400...599).contains(status) }

    /// Returns true for the statuses that ``CacheSettings/defaultCacheControlMaxAge`` applies to.
    static func usesDefaultMaxAge(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 301, 308: true
        default: false
        }
    }

    /// Returns true when the response permits storing. With `must-understand`, the status decides and `no-store` is
    /// ignored. A shared cache stores no response with `private` or `Set-Cookie`.
    static func allows(status: Int, _ fields: HeaderFields, _ control: CacheControl, isShared: Bool) -> Bool {
        if isShared, control.contains("private") || fields.contains("Set-Cookie") { return false }
        return control.contains("must-understand") ? understood.contains(status) : !control.noStore
    }
}
