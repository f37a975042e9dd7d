import PlatformImage
public import PlatformImageLoader

// On Linux, URLSession and its configuration are in a separate module.
#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport over Foundation's `URLSession`, for applications that configure a session and need no other HTTP client.
///
/// A session calls only the delegate it was created with, so the transport creates a session from the given
/// configuration. It follows no redirects, rejects authentication challenges, caches nothing and stores no cookies.
///
/// Limitations of Foundation on Linux (Swift 6.3):
/// - Fields are added: Accept, Accept-Language, User-Agent, Connection. Accept-Encoding is `identity` unless the
///   request sets it. Sent and received fields of one name are joined by commas, and their order is lost.
/// - A content-coded body is decoded by Foundation. Content-Encoding and Content-Length are then removed from the head,
///   and `Accept-Ranges: none` is set, because a range would count coded bytes.
/// - A head that is not UTF-8 is an error. **A connection that is closed within a head ends the process**: Foundation
///   traps (`Transfer completed, but there's no response.`). Use `CurlTransport` for untrusted origins.
/// - There is no backpressure, because a task that is suspended and resumed repeats its request. Unread bytes are
///   stored in memory up to a limit; the exchange fails when they exceed it.
/// - There is no separate connect timeout: connecting counts as idle time, whose limit is rounded up to whole seconds.
/// - Certificates are verified only with the system's roots, and a program cannot change that.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()
    private let maxUnreadBytes: Int

    /// Creates a transport over a session with this configuration.
    ///
    /// The session ends after the transport is released and its last exchange has ended.
    ///
    /// - Parameters:
    ///   - configuration: Configuration of the session, which is copied. Its cache, cookies and stored credentials are
    ///     not used.
    ///   - maxUnreadBytes: Maximum unread bytes of one response, at least 1; more fails with `bodyTooLarge`.
    public init(configuration: URLSessionConfiguration = .ephemeral, maxUnreadBytes: Int = 67_108_864) {
        precondition(maxUnreadBytes > 0, "maxUnreadBytes must be at least 1")
        self.maxUnreadBytes = maxUnreadBytes
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        copy.urlCache = nil
        copy.requestCachePolicy = .reloadIgnoringLocalCacheData
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.urlCredentialStorage = nil
        session = URLSession(configuration: copy, delegate: exchanges, delegateQueue: nil)
    }

    // The session retains its delegate until it is invalidated.
    deinit { session.finishTasksAndInvalidate() }

    /// Throws `configuration` for anything but the defaults: Foundation on Linux has no trust settings.
    public func validate(_ trust: TrustSettings) throws(LoadError) {
        guard trust == TrustSettings() else {
            throw .configuration("URLSessionTransport supports only the default trust settings")
        }
    }

    public func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        try validate(trust)
        if Task.isCancelled { throw LoadError.cancelled() }
        let task = session.dataTask(with: try request.prepared(idle: timeouts.idle))
        let exchange = URLSessionExchange(task, maxUnreadBytes: maxUnreadBytes)
        exchanges.add(exchange, for: task)
        let head = try await exchange.run(total: timeouts.total)
        let body = URLSessionBody(exchange: exchange, transport: self)
        return HTTPResponse(head: head, body: HTTPBody { try await body.next() })
    }
}

/// The consumer side of a body. Releasing it before the end of the body cancels the exchange.
private final class URLSessionBody: Sendable {
    private let exchange: URLSessionExchange
    /// Keeps the session alive.
    private let transport: URLSessionTransport

    init(exchange: URLSessionExchange, transport: URLSessionTransport) {
        self.exchange = exchange
        self.transport = transport
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? { try await exchange.next() }
}

extension HTTPRequest {
    /// Converts the request to a `URLRequest`.
    ///
    /// - Parameter idle: The idle timeout; nil means no limit.
    /// - Throws: `configuration` for an invalid URL, and for a field that cannot be sent.
    fileprivate func prepared(idle: Duration?) throws(LoadError) -> URLRequest {
        guard Origin(url) != nil, let target = URL(string: url) else {
            throw .configuration("the URL is not an http or https URL")
        }
        var request = URLRequest(url: target)
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = false
        let seconds = idle.map { $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0) }
        request.timeoutInterval = TimeInterval(min(max(seconds ?? .max, 1), 2_000_000))
        if !fields.contains("Accept-Encoding") { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        for field in fields.lines {
            guard field.name.utf8.allSatisfy({ Self.tokenBytes.contains($0) }), !field.name.isEmpty else {
                throw .configuration("a header field name is not a token")
            }
            guard let value = String(validating: field.value, as: UTF8.self) else {
                throw .configuration("the value of the header field \(field.name) is not UTF-8")
            }
            guard !field.hasControlCharacter else {
                throw .configuration("the value of the header field \(field.name) contains a control character")
            }
            request.addValue(value, forHTTPHeaderField: field.name)
        }
        return request
    }

    /// `tchar` of RFC 9110 §5.6.2.
    private static let tokenBytes = ASCIISet.alphanumerics.union("!#$%&'*+-.^_`|~")
}

extension ResponseHead {
    /// Converts a head of Foundation; fields are sorted by name, because their order is not preserved.
    init(_ response: HTTPURLResponse) {
        let lines = response.allHeaderFields.compactMap { name, value -> HeaderField? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return HeaderField(name, value)
        }
        var fields = HeaderFields(lines.sorted { $0.name < $1.name })
        if fields[lines: "Content-Encoding"].contains(where: { $0 != Array("identity".utf8) }) {
            for name in ["Content-Encoding", "Content-Length", "Accept-Ranges"] { fields.removeAll(named: name) }
            fields.append("Accept-Ranges", "none")
        }
        self.init(status: response.statusCode, fields: fields)
    }
}
