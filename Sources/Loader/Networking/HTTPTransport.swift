internal import PlatformImage
internal import Synchronization

/// The network interface of the loader: sends one request to one URL and streams the response.
///
/// A transport follows no redirects, caches nothing and decodes no content codings. It retries a sent request only
/// if the request is idempotent and no byte of a response was received. Cancelling the calling task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// Throws `configuration` when the transport does not support these settings; called when a loader is created and
    /// when its configuration changes.
    func validate(_ trust: TrustSettings) throws(LoadError)

    /// Sends a request; returns when the head of the final response was received. Interim responses are skipped.
    ///
    /// - Throws: A ``LoadError`` with the code `transport`, `tls`, `redirect`, `bodyTooLarge`, `configuration` or
    ///   `cancelled`; any other error counts as `transport`.
    func send(_ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts) async throws -> HTTPResponse
}

/// A response head and its body.
public struct HTTPResponse: Sendable {
    /// The final head.
    public var head: ResponseHead
    /// The body, still content-coded; throws when it is truncated by any criterion of RFC 9112 §8.
    public var body: HTTPBody

    /// Creates a response from its parts.
    public init(head: ResponseHead, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}

/// The chunks of a body, delivered once and in order; a slow consumer slows the sender down (backpressure).
public struct HTTPBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    private let nextChunk: @Sendable () async throws -> [UInt8]?

    /// Creates a body from a pull function.
    ///
    /// - Parameter next: Returns the next chunk, nil at the end; never called again after nil or an error, nor while a
    ///   call is running.
    public init(next: @escaping @Sendable () async throws -> [UInt8]?) { nextChunk = next }

    /// Creates a body of one chunk, for a response that is in memory.
    ///
    /// The chunk is delivered once, as with ``init(next:)``: after it, each iteration of the body or of its copies has
    /// no chunks.
    ///
    /// - Parameter bytes: All bytes of the body; an empty array gives a body without chunks.
    public init(_ bytes: [UInt8]) {
        let chunk = SingleChunk(bytes)
        nextChunk = { chunk.take() }
    }

    /// Returns the iterator; call it only once.
    public func makeAsyncIterator() -> Iterator { Iterator(nextChunk: nextChunk) }

    /// The iterator over the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        let nextChunk: @Sendable () async throws -> [UInt8]?

        /// Returns the next chunk; empty only if the transport delivered an empty chunk; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await nextChunk() }
    }
}

/// A chunk that is delivered to one caller.
private final class SingleChunk: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes.isEmpty ? nil : bytes) }

    /// Returns the bytes at the first call, nil at later ones.
    func take() -> [UInt8]? {
        bytes.locked(in: self) { bytes in
            let chunk = bytes
            bytes = nil
            return chunk
        }
    }
}

/// TLS trust settings for one request.
public struct TrustSettings: Hashable, Sendable {
    /// True accepts every certificate of every host.
    public var trustAnySSLCertificate = false
    /// Lowercase hosts for which every certificate is accepted; international names as text or as A-labels.
    public var trustedHosts: Set<String> = []
    /// Additional trusted root certificates in PEM form.
    public var additionalTrustRoots: [String] = []

    /// Creates settings that trust only the system's roots.
    public init() {}

    /// True for a host of ``trustedHosts``, compared in the ASCII form of internationalized names.
    ///
    /// - Parameter host: In ASCII and lower case; an IPv6 address is without brackets.
    func isTrusted(host: String) -> Bool {
        if trustedHosts.isEmpty { return false }
        if trustedHosts.contains(host) { return true }
        guard host.utf8.contains(UInt8(ascii: "-")) else { return false }
        return trustedHosts.contains { HostName.ascii($0.utf8).map { String(decoding: $0, as: UTF8.self) } == host }
    }
}

/// Timeouts of one exchange; nil means no limit.
public struct TransportTimeouts: Hashable, Sendable {
    /// Maximum time to establish a connection, including TLS.
    public var connect: Duration? = .seconds(10)
    /// Maximum time without a byte in either direction, before the head and between chunks.
    public var idle: Duration? = .seconds(60)
    /// Maximum time of the complete exchange, including the body.
    public var total: Duration?

    /// Creates the default timeouts.
    public init() {}
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The head's description.
    public var description: String { head.description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TrustSettings: CustomStringConvertible, CustomReflectable {
    /// The differences from the defaults, in one line; for additional roots only their number.
    public var description: String {
        var text = ChangedProperties(of: "TrustSettings")
        text.add("trustAnySSLCertificate", trustAnySSLCertificate, default: false)
        let hosts = trustedHosts.sorted().joined(separator: ", ")
        text.add("trustedHosts", text: hosts.isEmpty ? nil : "[\(hosts)]")
        text.add("additionalTrustRoots", additionalTrustRoots.count, default: 0)
        return text.text
    }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportTimeouts: CustomStringConvertible {
    /// The differences from the defaults, in one line.
    public var description: String {
        let other = Self()
        var text = ChangedProperties(of: "TransportTimeouts")
        text.add("connect", connect, default: other.connect)
        text.add("idle", idle, default: other.idle)
        text.add("total", total, default: other.total)
        return text.text
    }
}
