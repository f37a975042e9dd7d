#if Loader
/// One exchange with the origin: what was sent, and when.
struct CacheExchange: Hashable, Sendable {
    /// As given to ``CacheDecision/decide(entry:request:settings:now:)``.
    var request: CacheRequest
    /// As that decided, or a later ``CacheOutcome`` for a refetch.
    var plan: RequestPlan
    /// Just before the request was sent.
    var requestTime: WallTime
    /// When the final head had come.
    var responseTime: WallTime
}

/// What became of a body.
enum ReceivedBody: Hashable, Sendable {
    /// It came to its end and the loader accepts it: type, decoding, size.
    case complete(bytes: Int)
    /// It ended too early, by any measure of RFC 9112 §8.
    case incomplete
    /// It was refused: an unwanted type, undecodable, or too large.
    case rejected
}

/// How an exchange ended.
enum ExchangeResult: Hashable, Sendable {
    case response(ResponseHead, body: ReceivedBody)
    /// No usable final head came: no connection, a reset, a timeout, broken framing.
    case transportFailure
}

/// What a load answers and stores after an exchange (RFC 9111 §3, §4.3).
struct CacheOutcome: Hashable, Sendable {
    /// What the waiting loads get.
    enum Answer: Hashable, Sendable {
        /// The response that came, whatever its status, with these fields and its body.
        case received(HeaderFields)
        /// The stored body, which the origin confirmed.
        case notModified(StoredAnswer)
        /// The stored body instead of an error; see ``StoredAnswer/insteadOf``.
        case stale(StoredAnswer)
        /// Nothing yet: the request is to be sent once more, as this plan says.
        case refetch(RequestPlan)
        /// Nothing: the exchange failed before there was a whole response.
        case transportFailure
    }

    /// What happens to the entry of the key.
    enum StoreChange: Hashable, Sendable {
        case nothing
        /// A new entry replaces the stored one, with the body that came or else without one.
        case write(CacheEntry, keepsBody: Bool)
        /// The stored body stays and the rest of the entry becomes this.
        case update(CacheEntry)
        /// The stored entry is no longer to be used; it may well not exist.
        case remove
    }

    /// What the waiting loads get.
    var answer: Answer
    /// What happens to the entry.
    var store: StoreChange

    /// Bytes up to which the body of an error is kept, for errors with freshness of their own.
    static let maxErrorBodyBytes = 65_536
}
#endif
