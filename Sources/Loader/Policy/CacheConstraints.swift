/// The constraints of a request: cache policy and request directives combined (Docs/http-cache.md 5, RFC 9111
/// §5.2.1).
struct CacheConstraints: Hashable, Sendable {
    /// The caller's policy, or `cacheOnly` for `only-if-cached`.
    let policy: CachePolicy
    /// True when a stored response must be validated even if it is fresh.
    let validates: Bool
    /// True when the response may be stored.
    let allowsStoring: Bool
    /// True when the cache is bypassed: the method is not GET, or the caller set a conditional or range field.
    let isPassThrough: Bool
    private let control: CacheControl
    private let hasCacheControl: Bool

    /// Computes the constraints of a request.
    init(_ request: CacheRequest, settings: CacheSettings) {
        let requestControl = CacheControl(request.fields)
        isPassThrough = request.method != "GET" || request.fields.hasCallerConditions
        allowsStoring = !requestControl.noStore
        policy = requestControl.contains("only-if-cached") ? .cacheOnly : request.policy
        hasCacheControl = requestControl.isPresent
        // Without `useServerCachePolicy`, stored responses that may be used never become stale, so the request's
        // freshness directives are ignored.
        control = settings.useServerCachePolicy ? requestControl : CacheControl([:])
        let pragma = !requestControl.isPresent && request.fields.tokens(of: "Pragma").contains("no-cache")
        validates =
            settings.useServerCachePolicy
            && (control.contains("no-cache") || control.maxAge == 0 || pragma)
    }

    /// True when a request must be sent even if a stored error would otherwise be returned.
    var bypassesErrors: Bool { validates || policy == .reload || policy == .revalidate }

    /// Returns true when the response is fresh, satisfies the request's `max-age` and `min-fresh`, and need not be
    /// validated.
    func accepts(_ stored: StoredCandidate) -> Bool {
        guard !validates, acceptsAge(of: stored) else { return false }
        guard let remaining = stored.freshness.remaining, stored.freshness.isFresh else { return false }
        return remaining >= (control.minFresh ?? 0) &* 1000
    }

    /// Returns true when the response is no older than the request's `max-age`, or when the request has no `max-age`.
    func acceptsAge(of stored: StoredCandidate) -> Bool {
        control.maxAge.map { stored.freshness.age <= $0 &* 1000 } ?? true
    }

    /// Returns true when the request's `max-stale` accepts the response, and no other directive of the request
    /// rejects it.
    func acceptsStale(_ stored: StoredCandidate) -> Bool {
        guard !validates, control.minFresh == nil, acceptsAge(of: stored), let maxStale = control.maxStale else {
            return false
        }
        return maxStale == DeltaSeconds.max || stored.freshness.isStale(forAtMost: maxStale &* 1000)
    }

    /// True when the request permits `stale-while-revalidate`: its policy is `default`, and none of its directives
    /// requires validation, a maximum age or a minimum freshness.
    var allowsBackgroundRefresh: Bool {
        policy == .default && !validates && control.maxAge == nil && control.minFresh == nil
    }

    /// Returns the changes to the request before it is sent. They include the validators of `stored` if it is a
    /// success and the policy is not `reload`.
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
