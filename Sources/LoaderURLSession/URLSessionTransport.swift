#if Loader
import PlatformImage
public import PlatformImageLoader

// The session and its configuration are a module of their own on Linux.
#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The transport by way of Foundation's `URLSession`, for hosts that have set one up and want no other client.
///
/// A session calls its own delegate only, so the transport makes a session of the configuration that is brought. It
/// follows no redirect, answers no challenge, caches nothing and sends no cookies of its own.
///
/// What is Foundation's own doing on Linux (Swift 6.3):
/// - Fields are added: Accept, Accept-Language, User-Agent, Connection. Accept-Encoding is `identity` unless the request
///   says otherwise. Fields of one name are joined by commas, sent and received, and their order is lost.
/// - A body that comes coded is decoded before anyone else sees it. The head then has neither Content-Encoding nor
///   Content-Length, and says `Accept-Ranges: none`, because a range would count coded bytes.
/// - A head that is not UTF-8 is an error. **A connection that is closed within a head ends the process**: Foundation
///   traps (`Transfer completed, but there's no response.`). Use `AsyncHTTPClientTransport` for origins that you do not
///   trust.
/// - A sender cannot be slowed down: a task that is suspended and resumed begins anew. What is not read yet is kept in
///   memory up to a limit, and more ends the exchange.
/// - Connecting cannot be timed alone: it counts as silence, whose limit is rounded up to whole seconds.
/// - A certificate is judged by the system's roots alone, and nothing a program does changes that.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()
    private let maxUnreadBytes: Int

    /// A transport over a session of this configuration.
    ///
    /// The session ends when the transport is released and its last exchange is over.
    ///
    /// - Parameters:
    ///   - configuration: Is copied. Its cache, its cookies and its stored credentials are not used.
    ///   - maxUnreadBytes: What one response may have waiting to be read, at least 1; more is `bodyTooLarge`.
    public init(configuration: URLSessionConfiguration = .ephemeral, maxUnreadBytes: Int = 67_108_864) {
        precondition(maxUnreadBytes > 0, "something must be kept until it is read")
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

    // The session holds its delegate until then.
    deinit { session.finishTasksAndInvalidate() }

    /// Throws `configuration` for everything but the defaults: Foundation on Linux has no setting for whom to believe.
    public func validate(_ trust: TrustSettings) throws(LoadError) {
        guard trust == TrustSettings() else {
            throw .configuration("URLSession trusts the system's roots and cannot be told to trust anything else")
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

/// The reading end of a body. When it is released unread, the exchange ends.
private final class URLSessionBody: Sendable {
    private let exchange: URLSessionExchange
    /// Keeps the session.
    private let transport: URLSessionTransport

    init(exchange: URLSessionExchange, transport: URLSessionTransport) {
        self.exchange = exchange
        self.transport = transport
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? { try await exchange.next() }
}

extension HTTPRequest {
    /// The request as Foundation takes it.
    ///
    /// - Parameter idle: Nil for no limit.
    /// - Throws: `configuration` for an address that is none, and for a field that cannot be sent.
    fileprivate func prepared(idle: Duration?) throws(LoadError) -> URLRequest {
        guard Origin(url) != nil, let address = URL(string: url) else {
            throw .configuration("not an address of http or https")
        }
        var request = URLRequest(url: address)
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = false
        let seconds = idle.map { $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0) }
        request.timeoutInterval = TimeInterval(min(max(seconds ?? .max, 1), 2_000_000))
        if !fields.contains("Accept-Encoding") { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        for field in fields.lines {
            guard field.name.utf8.allSatisfy({ Self.tokenBytes.contains($0) }), !field.name.isEmpty else {
                throw .configuration("a field name that is no token cannot be sent")
            }
            guard let value = String(validating: field.value, as: UTF8.self) else {
                throw .configuration("the value of the field \(field.name) is not UTF-8 and cannot be sent")
            }
            guard !field.hasControlCharacter else {
                throw .configuration("the value of the field \(field.name) has a control character and cannot be sent")
            }
            request.addValue(value, forHTTPHeaderField: field.name)
        }
        return request
    }

    /// `tchar` of RFC 9110 §5.6.2.
    private static let tokenBytes = ASCIISet.alphanumerics.union("!#$%&'*+-.^_`|~")
}

extension ResponseHead {
    /// The head as Foundation gives it, in the order of the names: it keeps no other.
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
#endif
