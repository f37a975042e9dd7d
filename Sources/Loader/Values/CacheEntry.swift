#if Loader
/// What is known of one key besides the body: the stored response and a remembered error.
public struct CacheEntry: Hashable, Sendable {
    /// The request's key.
    public var key: CacheKey
    /// The stored response; nil when nothing but an error is remembered.
    public var response: StoredResponse?
    /// Consecutive errors since the last success; nil for none.
    public var failure: RememberedFailure?

    /// An entry of these parts.
    public init(key: CacheKey, response: StoredResponse? = nil, failure: RememberedFailure? = nil) {
        self.key = key
        self.response = response
        self.failure = failure
    }
}

/// The head of a stored response and the times that its age is computed from.
public struct StoredResponse: Hashable, Sendable {
    /// 200...599.
    public var status: Int
    /// As received, without the fields of the connection; merged with those of each 304.
    public var fields: HeaderFields
    /// When the request was sent, of the last 304 or else of the response itself.
    public var requestTime: WallTime
    /// When the head had come, of the last 304 or else of the response itself.
    public var responseTime: WallTime
    /// When this body was stored; a 304 does not change it.
    public var createdAt: WallTime
    /// The request fields that chose this variant; empty without `Vary`.
    public var vary: [VaryValue]

    /// A response of these parts.
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

/// A request field named by `Vary`, with what the request said (RFC 9111 §4.1).
public struct VaryValue: Hashable, Sendable {
    /// In lower case.
    public var name: String
    /// Lines joined, white space normalised; nil when the request had no such field, which differs from empty.
    public var value: [UInt8]?

    /// A field and its value.
    public init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}

/// Errors in a row.
public struct RememberedFailure: Hashable, Sendable {
    /// Of the last error, 400...599.
    public var status: Int
    /// Loads in a row that ended with an error, at least 1.
    public var attempts: Int
    /// When the last error came.
    public var at: WallTime
    /// Until when the error's own explicit freshness lets it be reused; nil when it had none.
    public var freshUntil: WallTime?

    /// A failure of these parts.
    public init(status: Int, attempts: Int, at: WallTime, freshUntil: WallTime? = nil) {
        self.status = status
        self.attempts = attempts
        self.at = at
        self.freshUntil = freshUntil
    }
}
#endif
