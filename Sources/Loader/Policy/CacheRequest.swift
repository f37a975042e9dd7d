#if Loader
/// What a load asks for, as far as the cache must know it.
struct CacheRequest: Hashable, Sendable {
    /// As sent; methods are case-sensitive (RFC 9110 §9.1). Only `GET` is cached.
    var method: String
    /// All fields that go out but those that the plan adds: also the transport's own, because `Vary` may name them.
    var fields: HeaderFields
    /// The caller's choice.
    var policy: CachePolicy

    /// A request of these parts; a plain GET by default.
    init(method: String = "GET", fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.method = method
        self.fields = fields
        self.policy = policy
    }
}

/// What goes to the origin.
struct RequestPlan: Hashable, Sendable {
    /// Lines to send after the caller's: validators and at most one Cache-Control.
    var addedFields: HeaderFields = [:]
    /// True when ``addedFields`` holds validators: a 304 then means the stored body.
    var isConditional = false
    /// True when the exchange is the caller's own affair: whatever comes is given back and never stored.
    var isPassThrough = false
    /// True for the one repetition without validators that a 304 about another body asks for.
    var isRefetch = false
}

/// A stored response as it is shown to the caller.
struct StoredAnswer: Hashable, Sendable {
    /// 200...599.
    var status: Int
    /// The stored fields, with `Age` as of now.
    var fields: HeaderFields
    /// False for an answer that is provisional, or stale with permission.
    var isFresh: Bool
    /// The error in place of which the answer is given (``CacheSettings/staleIfError``); nil for none.
    var insteadOf: AnswerFailure? = nil
}

/// Why there is no answer from the origin.
enum AnswerFailure: Hashable, Sendable {
    /// The origin answered with this status now.
    case status(Int)
    /// The origin is not asked again until then.
    case remembered(RememberedError)
    /// No response came.
    case transport
}

/// An error that is answered without a request.
struct RememberedError: Hashable, Sendable {
    /// 400...599.
    var status: Int
    /// The origin is asked again from then on.
    var until: WallTime
    /// True while the error's own explicit freshness lasts, false for the silence after repeated errors.
    var isFresh: Bool
}
#endif
