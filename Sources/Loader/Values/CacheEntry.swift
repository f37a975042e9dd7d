/// The metadata of one cache key: the head of the stored response, and a record of errors.
public struct CacheEntry: Hashable, Sendable {
    /// The cache key of the request.
    public var key: CacheKey
    /// The stored response; nil when the entry contains only errors.
    public var response: StoredResponse?
    /// The record of errors since the last success; nil for none.
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
    /// The fields as received, without connection-specific ones; merged with the fields of each 304.
    public var fields: HeaderFields
    /// Time at which the request of the last 304 was sent; without a 304, the time of the request of this response.
    public var requestTime: WallTime
    /// Time at which the head of the last 304 was received; without a 304, the time of the head of this response.
    public var responseTime: WallTime
    /// Time at which the body was stored; a 304 does not change it.
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
    /// The joined field lines with normalized white space; nil when the request had no such field. An empty value is
    /// different from nil.
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
    /// Number of consecutive errors, at least 1; always 1 for an error with explicit freshness.
    public var attempts: Int
    /// Time at which the last error was received.
    public var at: WallTime
    /// End of the explicit freshness of the error response, until which the error may be reused; nil when the response
    /// had no explicit freshness.
    public var freshUntil: WallTime?

    /// Creates a failure from its parts.
    public init(status: Int, attempts: Int, at: WallTime, freshUntil: WallTime? = nil) {
        self.status = status
        self.attempts = attempts
        self.at = at
        self.freshUntil = freshUntil
    }
}
