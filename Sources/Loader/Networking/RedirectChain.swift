import PlatformImage

/// The redirects of one load (RFC 9110 §15.4, Docs/http-cache.md 5.5).
///
/// Stores the current request without the cache's additions: validators and directives are added to a copy and are
/// never part of the next request. Removed fields stay removed, even when a later redirect returns to the first origin;
/// so the cache partition of a request is derived from the credentials that remain in it, unless the caller sets one.
struct RedirectChain: Sendable {
    /// The current request of the chain.
    private(set) var request: HTTPRequest
    /// Number of redirects followed so far.
    private(set) var hops = 0
    /// True when a redirect changed the origin.
    private(set) var hasChangedOrigin = false
    private let maxRedirects: Int
    /// All requests of the chain so far; empty until the first redirect, which most loads do not have.
    private var visited: Set<Hop> = []

    private struct Hop: Hashable, Sendable {
        let method: String
        let url: String
    }

    /// Creates a chain that starts with `request`.
    ///
    /// - Parameter maxRedirects: Maximum number of redirects; with 0 the first redirect is an error.
    init(_ request: HTTPRequest, maxRedirects: Int) {
        self.request = request
        self.maxRedirects = maxRedirects
    }

    /// Follows the redirect of a response.
    ///
    /// - Returns: The next request of the chain, now also ``request``; nil for a final response: any status except 301,
    ///   302, 303, 307 and 308, or no `Location`.
    /// - Throws: `redirect` for a `Location` that is not an http(s) URL, contains user information, or has several
    ///   different values; for a redirect to an earlier request of the chain (a loop); and for more than the maximum
    ///   number of redirects. The chain is then unchanged.
    mutating func follow(_ head: ResponseHead) throws(LoadError) -> HTTPRequest? {
        guard Storability.isRedirect(head.status) else { return nil }
        guard let location = head.fields[lines: "Location"].first else { return nil }
        guard head.fields[lines: "Location"].allSatisfy({ $0 == location }) else {
            throw error("the response has Location fields with different values")
        }
        var next = request
        next.url = try target(of: location)
        next.method = Self.method(request.method, after: head.status)
        if next.method != request.method { Self.contentFields.forEach { next.fields.removeAll(named: $0) } }
        let changesOrigin = Origin(next.url) != Origin(request.url)
        if changesOrigin { Self.originBoundFields.forEach { next.fields.removeAll(named: $0) } }
        guard hops < maxRedirects else { throw error("the number of redirects exceeds maxRedirects, \(maxRedirects)") }
        if visited.isEmpty { visited.insert(Self.hop(request)) }
        guard visited.insert(Self.hop(next)).inserted else { throw error("redirect loop") }
        hops += 1
        hasChangedOrigin = hasChangedOrigin || changesOrigin
        request = next
        return next
    }

    /// Resolves a `Location` against the URL of the current request. The fragment is removed, because it is never sent.
    private func target(of location: [UInt8]) throws(LoadError) -> String {
        let trimmed = location.trimmingASCIIBlanks()
        guard !trimmed.contains(where: { $0.isASCIIControl }) else {
            throw error("Location contains a control character")
        }
        var reference = URLReference(trimmed)
        if let authority = reference.authority {
            guard let ascii = Self.hostAndPort(authority) else { throw error("the host in Location is invalid") }
            reference.authority = ascii
        }
        var target = reference.resolved(against: URLReference(request.url.utf8))
        target.fragment = nil
        let scheme = String(decoding: target.scheme ?? [], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw error("the scheme \(scheme) in Location is not supported")
        }
        if target.path.isEmpty { target.path = [UInt8(ascii: "/")] }
        target.path = Self.escaped(target.path)
        target.query = target.query.map(Self.escaped)
        let url = String(decoding: target.bytes, as: UTF8.self)
        guard Origin(url) != nil else { throw error("the URL in Location is malformed") }
        return url
    }

    /// Returns the method of the next request: POST becomes GET after 301 and 302, as in browsers; 303 changes all
    /// methods except HEAD to GET; 307 and 308 retain the method (RFC 9110 §15.4.2 to §15.4.9).
    private static func method(_ method: String, after status: Int) -> String {
        switch status {
        case 303: method == "HEAD" ? method : "GET"
        case 301, 302: method == "POST" ? "GET" : method
        default: method
        }
    }

    /// Returns a host of letters, digits, `-`, `.`, `_` and `~`, or in brackets, with an optional port; nil for
    /// anything else. Internationalized labels become A-labels (RFC 5891).
    ///
    /// URL parsers disagree on everything else that RFC 3986 permits, such as escapes and a preceding `@`; a
    /// disagreement would send a request to a host other than the checked one. User information in an untrusted
    /// reference is an error (RFC 9110 §4.2.4).
    private static func hostAndPort(_ authority: [UInt8]) -> [UInt8]? {
        // An escape of ASCII characters remains and is refused below. The port is in ASCII, so the whole authority can
        // be converted only without it.
        let colon = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        var authority = authority
        if !authority.allSatisfy({ $0 < 0x80 }) || authority.contains(UInt8(ascii: "%")) {
            guard let host = HostName.ascii(authority[..<colon]) else { return nil }
            authority = host + authority[colon...]
        }
        let isLiteral = authority.first == UInt8(ascii: "[")
        let allowed = isLiteral ? "0123456789abcdef.:[]" : "0123456789abcdefghijklmnopqrstuvwxyz-._~:"
        let isValid = !authority.isEmpty && authority.allSatisfy { allowed.utf8.contains($0.lowercasedASCII) }
        return isValid ? authority : nil
    }

    /// ASCII without control characters and space; includes `%`, so that existing escapes are not encoded again.
    private static let visible = ASCIISet(0x21...0x7E)

    /// Percent-encodes spaces and non-ASCII bytes, which some origins send although URLs must not contain them.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        PercentEncoding.encode(bytes, allowed: visible)
    }

    /// Fields that must not be sent to a different origin.
    private static let originBoundFields = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]

    /// Fields that describe a body that is no longer sent (RFC 9110 §15.4).
    private static let contentFields = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Range", "Content-Type",
        "Digest", "Content-Digest", "Repr-Digest", "Last-Modified", "Transfer-Encoding",
    ]

    private static func hop(_ request: HTTPRequest) -> Hop {
        Hop(method: request.method, url: CacheKey.normalised(request.url) ?? request.url)
    }

    private func error(_ reason: String) -> LoadError {
        LoadError(.redirect, url: Redaction.masked(request.url), reason)
    }
}
