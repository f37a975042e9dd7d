#if Loader
/// What a request allows, its policy and its own directives together (HTTP-CACHE 5, RFC 9111 §5.2.1).
struct CacheDemand: Hashable, Sendable {
    /// The caller's policy; `cacheOnly` also for `only-if-cached`.
    let policy: CachePolicy
    /// True when a stored answer must be validated whatever its freshness.
    let validates: Bool
    /// True when the answer may be kept.
    let allowsStoring: Bool
    /// True when the exchange is the caller's own affair: no GET, or a condition or range of the caller's.
    let isPassThrough: Bool
    private let control: CacheControl
    private let hasCacheControl: Bool

    /// The demand of a request.
    init(_ request: CacheRequest, settings: CacheSettings) {
        let own = CacheControl(request.fields)
        isPassThrough = request.method != "GET" || request.fields.hasOwnConditions
        allowsStoring = !own.noStore
        policy = own.contains("only-if-cached") ? .cacheOnly : request.policy
        hasCacheControl = own.isPresent
        // Without the server's policy only a reload renews: what asks for freshness asks for what nobody measures.
        control = settings.useServerCachePolicy ? own : CacheControl([:])
        let pragma = !own.isPresent && request.fields.tokens(of: "Pragma").contains("no-cache")
        validates =
            settings.useServerCachePolicy
            && (control.contains("no-cache") || control.maxAge == 0 || pragma)
    }

    /// True when the origin is to be asked now, also while an error is remembered.
    var bypassesErrors: Bool { validates || policy == .reload || policy == .revalidate }

    /// True when a fresh answer of this age and with so much time left is good enough.
    func accepts(_ stored: StoredCandidate) -> Bool {
        guard !validates, acceptsAge(of: stored) else { return false }
        guard let remaining = stored.freshness.remaining, stored.freshness.isFresh else { return false }
        return remaining >= (control.minFresh ?? 0) * 1000
    }

    /// True when the answer is no older than the request's `max-age`.
    func acceptsAge(of stored: StoredCandidate) -> Bool {
        control.maxAge.map { stored.freshness.age <= $0 * 1000 } ?? true
    }

    /// True when the request itself takes an answer that has been stale for so long.
    func acceptsStale(_ stored: StoredCandidate) -> Bool {
        guard !validates, control.minFresh == nil, acceptsAge(of: stored), let maxStale = control.maxStale else {
            return false
        }
        return maxStale == DeltaSeconds.max || stored.freshness.isStale(forAtMost: maxStale * 1000)
    }

    /// True when the request has nothing against what the server allows in the background of a stale answer.
    var allowsBackgroundRefresh: Bool {
        policy == .default && !validates && control.maxAge == nil && control.minFresh == nil
    }

    /// What to send, with the conditions of `stored` unless that is nil or the policy wants none.
    func plan(validating stored: StoredCandidate?) -> RequestPlan {
        var plan = RequestPlan()
        if policy != .reload, let stored, stored.isSuccess {
            plan.addedFields = stored.response.fields.conditions
            plan.isConditional = !plan.addedFields.lines.isEmpty
        }
        if !hasCacheControl {
            if policy == .reload { plan.addedFields.append("Cache-Control", "no-cache") }
            if policy == .revalidate { plan.addedFields.append("Cache-Control", "max-age=0") }
        }
        return plan
    }
}
#endif
