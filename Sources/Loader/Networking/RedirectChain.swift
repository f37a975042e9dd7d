#if Loader
import PlatformImage

/// One load's way from hop to hop (RFC 9110 §15.4, HTTP-CACHE 5.5).
///
/// It holds the request of the current hop as the caller means it: what the cache adds, validators and directives, is
/// added to a copy and never reaches the next hop. Fields that were dropped on the way stay dropped, also when a later
/// hop is of the first origin again; so a hop's partition is that of its own fields.
struct RedirectChain: Sendable {
    /// The request of the current hop.
    private(set) var request: HTTPRequest
    /// Redirects followed so far.
    private(set) var hops = 0
    /// True when some hop left the origin that was asked first.
    private(set) var hasChangedOrigin = false
    private let maxRedirects: Int
    /// All hops so far, once a redirect was followed: nearly always there is none.
    private var visited: Set<Hop> = []

    private struct Hop: Hashable, Sendable {
        let method: String
        let url: String
    }

    /// A way that begins with `request`.
    ///
    /// - Parameter maxRedirects: Redirects that may be followed; 0 makes the first one an error.
    init(_ request: HTTPRequest, maxRedirects: Int) {
        self.request = request
        self.maxRedirects = maxRedirects
    }

    /// Goes to where the response points.
    ///
    /// - Returns: The next hop's request, which is ``request`` from now on; nil when the response is the final one: any
    ///   status but 301, 302, 303, 307 and 308, or none of the lines `Location`.
    /// - Throws: `redirect` for a `Location` that is no address of http or https, names a user, or comes twice and
    ///   differs; for a hop that was visited before; and for more than the allowed number. The way then stays where it is.
    mutating func follow(_ head: ResponseHead) throws(LoadError) -> HTTPRequest? {
        guard Storability.isRedirect(head.status) else { return nil }
        guard let location = head.fields[lines: "Location"].first else { return nil }
        guard head.fields[lines: "Location"].allSatisfy({ $0 == location }) else {
            throw error("the Location fields differ")
        }
        var next = request
        next.url = try target(of: location)
        next.method = Self.method(request.method, after: head.status)
        if next.method != request.method { Self.contentFields.forEach { next.fields.removeAll(named: $0) } }
        let crosses = Origin(next.url) != Origin(request.url)
        if crosses { Self.fieldsOfOneOrigin.forEach { next.fields.removeAll(named: $0) } }
        guard hops < maxRedirects else { throw error("more than \(maxRedirects) redirects") }
        if visited.isEmpty { visited.insert(Self.hop(request)) }
        guard visited.insert(Self.hop(next)).inserted else { throw error("the redirects run in a circle") }
        hops += 1
        hasChangedOrigin = hasChangedOrigin || crosses
        request = next
        return next
    }

    /// The address that a `Location` means at the current hop, without fragment: that is nobody's but the caller's.
    private func target(of location: [UInt8]) throws(LoadError) -> String {
        let trimmed = location.trimmingASCIIBlanks()
        guard !trimmed.contains(where: { $0.isASCIIControl }) else { throw error("a control character in Location") }
        let reference = URLReference(trimmed)
        if let authority = reference.authority, !Self.isHostAndPort(authority) {
            throw error("no plain host in Location")
        }
        var target = reference.resolved(against: URLReference(request.url.utf8))
        target.fragment = nil
        let scheme = String(decoding: target.scheme ?? [], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else { throw error("the scheme \(scheme) in Location") }
        if target.path.isEmpty { target.path = [UInt8(ascii: "/")] }
        target.path = Self.escaped(target.path)
        target.query = target.query.map(Self.escaped)
        let url = String(decoding: target.bytes, as: UTF8.self)
        guard Origin(url) != nil else { throw error("no address in Location") }
        return url
    }

    /// A POST that was moved is asked for with GET, as every browser does; 303 says so for all methods but HEAD; 307 and
    /// 308 forbid it (RFC 9110 §15.4.2 to §15.4.9).
    private static func method(_ method: String, after status: Int) -> String {
        switch status {
        case 303: method == "HEAD" ? method : "GET"
        case 301, 302: method == "POST" ? "GET" : method
        default: method
        }
    }

    /// True for a host of letters, digits, `-`, `.`, `_`, `~` or in brackets, and perhaps a port.
    ///
    /// Everything else that RFC 3986 lets a host hold, escapes and an `@` before it, is what parsers disagree on, and a
    /// disagreement would send a request elsewhere than where it was checked. User information in a reference from a
    /// stranger is an error (RFC 9110 §4.2.4).
    private static func isHostAndPort(_ authority: [UInt8]) -> Bool {
        let isLiteral = authority.first == UInt8(ascii: "[")
        let allowed = isLiteral ? "0123456789abcdef.:[]" : "0123456789abcdefghijklmnopqrstuvwxyz-._~:"
        return !authority.isEmpty && authority.allSatisfy { allowed.utf8.contains($0.lowercasedASCII) }
    }

    /// All of ASCII but control characters and the blank, `%` too: what is escaped stays so.
    private static let visible = ASCIISet(0x21...0x7E)

    /// Blanks and bytes outside ASCII as escapes: origins write them, and no address may hold them.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        PercentEncoding.encode(bytes, allowed: visible)
    }

    /// What is meant for one origin and nobody else.
    private static let fieldsOfOneOrigin = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]

    /// What describes a body that is not sent any more (RFC 9110 §15.4).
    private static let contentFields = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Range", "Content-Type",
        "Digest", "Content-Digest", "Repr-Digest", "Last-Modified", "Transfer-Encoding",
    ]

    private static func hop(_ request: HTTPRequest) -> Hop {
        Hop(method: request.method, url: CacheKey.normalised(request.url) ?? request.url)
    }

    private func error(_ reason: String) -> LoadError {
        LoadError(.redirect, url: Redaction.shown(request.url), reason)
    }
}
#endif
