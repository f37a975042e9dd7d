#if Loader
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

/// A request for one hop.
public struct HTTPRequest: Hashable, Sendable {
    /// `GET` in all that loaders do.
    public var method: String
    /// http or https, without a fragment and without user information.
    public var url: String
    /// In this order; a transport adds Host, and Connection where the protocol wants it, and nothing else.
    public var fields: HeaderFields

    /// A request of these parts.
    public init(method: String = "GET", url: String, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The head of a final response.
public struct ResponseHead: Hashable, Sendable {
    /// 200...999, as received.
    public var status: Int
    /// As received, with the fields of the connection; values are bytes.
    public var fields: HeaderFields

    /// A head of these parts.
    public init(status: Int, fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
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
#endif
