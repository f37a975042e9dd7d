#if Loader
internal import PlatformImage

/// The one seam to the network: sends one request to one address and streams what comes back.
///
/// A transport follows no redirect, caches nothing, decodes no content coding and repeats nothing but a request that
/// the server has certainly not seen. Cancelling the calling task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// Throws `configuration` when the transport cannot honour these settings; a loader asks when it is made and when its
    /// configuration changes.
    func validate(_ trust: TrustSettings) throws(LoadError)

    /// Sends a request; returns when the head of the final response has come. Interim responses are skipped.
    ///
    /// - Throws: A ``LoadError`` of the codes `transport`, `tls`, `redirect`, `bodyTooLarge`, `configuration` or
    ///   `cancelled`; any other error counts as `transport`.
    func send(_ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts) async throws -> HTTPResponse
}

/// A head and the body that follows it.
public struct HTTPResponse: Sendable {
    /// The final head.
    public var head: ResponseHead
    /// The content as it was sent, still coded; ends with an error when it is cut short by any measure of RFC 9112 §8.
    public var body: HTTPBody

    /// A response of these parts.
    public init(head: ResponseHead, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}

/// The chunks of a body, once and in order; a consumer that stops reading slows the sender down.
public struct HTTPBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    private let nextChunk: @Sendable () async throws -> [UInt8]?

    /// A body that is pulled.
    ///
    /// - Parameter next: Gives the next chunk, nil at the end; is never called again after nil or an error, nor while
    ///   a call is running.
    public init(next: @escaping @Sendable () async throws -> [UInt8]?) { nextChunk = next }

    /// The iterator; a body has one.
    public func makeAsyncIterator() -> Iterator { Iterator(nextChunk: nextChunk) }

    /// Gives chunk after chunk.
    public struct Iterator: AsyncIteratorProtocol {
        let nextChunk: @Sendable () async throws -> [UInt8]?

        /// The next chunk, never empty unless the sender's was; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await nextChunk() }
    }
}

/// Whom to believe.
public struct TrustSettings: Hashable, Sendable {
    /// Believes every certificate of every host.
    public var trustAnySSLCertificate = false
    /// Hosts, in lower case, whose certificates are believed whatever they are.
    public var trustedHosts: Set<String> = []
    /// Certificates in PEM form that are believed besides the system's.
    public var additionalTrustRoots: [String] = []

    /// The system's roots and nothing else.
    public init() {}
}

/// How long to wait; nil for ever.
public struct TransportTimeouts: Hashable, Sendable {
    /// Until a connection stands, TLS included.
    public var connect: Duration? = .seconds(10)
    /// Without a byte in either direction, before the head and between chunks.
    public var idle: Duration? = .seconds(60)
    /// For the whole exchange, body included.
    public var total: Duration?

    /// The defaults.
    public init() {}
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The head's description.
    public var description: String { head.description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TrustSettings: CustomStringConvertible, CustomReflectable {
    /// The differences from the defaults, in one line; of additional roots how many there are.
    public var description: String {
        var text = ChangedProperties(of: "TrustSettings")
        text.add("trustAnySSLCertificate", trustAnySSLCertificate, default: false)
        let hosts = trustedHosts.sorted().joined(separator: ", ")
        text.add("trustedHosts", text: hosts.isEmpty ? nil : "[\(hosts)]")
        text.add("additionalTrustRoots", additionalTrustRoots.count, default: 0)
        return text.text
    }
    /// Has no children.
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
#endif
