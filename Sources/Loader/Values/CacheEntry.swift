#if Loader
/// The metadata of one cache key: the stored response's head and a remembered error.
public struct CacheEntry: Hashable, Sendable {
    /// The request's key.
    public var key: CacheKey
    /// The stored response; nil when only an error is remembered.
    public var response: StoredResponse?
    /// Consecutive errors since the last success; nil for none.
    public var failure: FailureRecord?

    /// Creates an entry from its parts.
    public init(key: CacheKey, response: StoredResponse? = nil, failure: FailureRecord? = nil) {
        self.key = key
        self.response = response
        self.failure = failure
    }
}

/// The head of a stored response and the times from which its age is computed (RFC 9111 §4.2.3).
public struct StoredResponse: Hashable, Sendable {
    /// The status code, 200...599.
    public var status: Int
    /// As received, without connection fields; merged with the fields of each 304.
    public var fields: HeaderFields
    /// When the request was sent: of the last 304, or of the response itself.
    public var requestTime: WallTime
    /// When the head was received: of the last 304, or of the response itself.
    public var responseTime: WallTime
    /// When this body was stored; a 304 does not change it.
    public var createdAt: WallTime
    /// The request fields that selected this variant; empty without `Vary`.
    public var vary: [VaryValue]

    /// Creates a response from its parts.
    public init(
        status: Int, fields: HeaderFields, requestTime: WallTime, responseTime: WallTime, createdAt: WallTime,
        vary: [VaryValue] = []
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.createdAt = createdAt
        self.vary = vary
    }
}

/// A request field named by `Vary`, with the request's value (RFC 9111 §4.1).
public struct VaryValue: Hashable, Sendable {
    /// The field name in lower case.
    public var name: String
    /// The field lines joined, white space normalized; nil, unlike empty, means that the request had no such field.
    public var value: [UInt8]?

    /// Creates a pair of a field name and its value.
    public init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}

/// Consecutive errors of one key.
public struct FailureRecord: Hashable, Sendable {
    /// Status code of the last error, 400...599.
    public var status: Int
    /// Number of consecutive loads that failed, at least 1.
    public var attempts: Int
    /// When the last error was received.
    public var at: WallTime
    /// End of the error response's explicit freshness, until which it may be reused; nil when it had none.
    public var freshUntil: WallTime?

    /// Creates a failure from its parts.
    public init(status: Int, attempts: Int, at: WallTime, freshUntil: WallTime? = nil) {
        self.status = status
        self.attempts = attempts
        self.at = at
        self.freshUntil = freshUntil
    }
}
#endif
