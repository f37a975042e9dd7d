/// The parts of a request that the cache policy needs.
struct CacheRequest: Hashable, Sendable {
    /// The method as sent; methods are case-sensitive (RFC 9110 §9.1). Only `GET` is cached.
    var method: String
    /// The fields to be sent, except those of the plan and those that the request modifier or the transport adds later.
    /// Their values are compared for `Vary`.
    var fields: HeaderFields
    /// The caller's cache policy.
    var policy: CachePolicy

    /// Creates a request from its parts; a plain GET by default.
    init(method: String = "GET", fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.method = method
        self.fields = fields
        self.policy = policy
    }
}

/// Changes to a request before it is sent to the origin.
struct RequestPlan: Hashable, Sendable {
    /// Lines to send after the caller's: validators and at most one Cache-Control.
    var addedFields: HeaderFields = [:]
    /// True when ``addedFields`` contains validators: a 304 then validates the stored body.
    var isConditional = false
    /// True when the cache is bypassed: the response is returned unchanged and never stored.
    var isPassThrough = false
    /// True for the single unconditional retry after a 304 that does not match the stored body.
    var isUnconditionalRetry = false
}

/// A stored response as returned to the caller.
struct CachedResponse: Hashable, Sendable {
    /// The status code, 200...599.
    var status: Int
    /// The stored fields, with the current `Age`.
    var fields: HeaderFields
    /// False for a provisional response and for one that is permitted to be stale.
    var isFresh: Bool
    /// The error that this response replaces (``CacheSettings/staleIfError``); nil for none.
    var staleReason: StaleReason? = nil
}

/// The reason why there is no usable response from the origin.
enum StaleReason: Hashable, Sendable {
    /// The origin responded with this error status.
    case status(Int)
    /// A stored error is in effect: no request is sent until it expires.
    case remembered(RememberedError)
    /// No response was received.
    case transport
}

/// A stored error that is returned to a load without sending a request.
struct RememberedError: Hashable, Sendable {
    /// The status code, 400...599.
    var status: Int
    /// Time from which requests are sent again.
    var until: WallTime
    /// True while the error's explicit freshness lasts; false for the pause after repeated errors.
    var isFresh: Bool
}
