/// A request that was sent to the origin, with its times.
struct CacheExchange: Hashable, Sendable {
    /// The request as passed to ``CacheDecision/decide(entry:request:settings:now:)``.
    var request: CacheRequest
    /// The plan of the ``CacheDecision``, or for an unconditional retry the plan of the previous ``CacheOutcome``.
    var plan: RequestPlan
    /// Time just before the request was sent.
    var requestTime: WallTime
    /// Time when the final head was received.
    var responseTime: WallTime
}

/// The state of a received body.
enum ReceivedBody: Hashable, Sendable {
    /// The body is complete, its type and its size are accepted, and it decodes.
    case complete(bytes: Int)
    /// The body ended early by any criterion of RFC 9112 §8.
    case incomplete
    /// The body was rejected: unaccepted type, undecodable, or too large.
    case rejected
}

/// The result of an exchange.
enum ExchangeResult: Hashable, Sendable {
    case response(ResponseHead, body: ReceivedBody)
    /// No usable final head was received: no connection, a reset, a timeout, or invalid framing.
    case transportFailure
}

/// The result for the waiting loads and the change of the store after an exchange (RFC 9111 §3, §4.3).
struct CacheOutcome: Hashable, Sendable {
    /// The result for the waiting loads.
    enum WaiterResult: Hashable, Sendable {
        /// The received response of any status, with these fields and its body.
        case received(HeaderFields)
        /// The stored body, validated by the origin.
        case notModified(CachedResponse)
        /// The stored body instead of an error; see ``CachedResponse/staleReason``.
        case stale(CachedResponse)
        /// No result yet: the request must be sent again with this plan.
        case retryUnconditionally(RequestPlan)
        /// No result: the exchange failed before the response was complete.
        case transportFailure
    }

    /// The change to the stored entry of the key.
    enum StoreChange: Hashable, Sendable {
        case nothing
        /// Replaces the stored entry by a new one, with the received body or without a body.
        case write(CacheEntry, storesBody: Bool)
        /// Replaces the metadata of the entry and retains the stored body.
        case update(CacheEntry)
        /// Removes the stored entry, which may not exist.
        case remove
    }

    /// The result for the waiting loads.
    var result: WaiterResult
    /// The change to the stored entry.
    var store: StoreChange

    /// Maximum size in bytes of the body of a redirect or an error response; a larger body is rejected and not stored.
    static let maxErrorBodyBytes = 65_536
}
