/// The inputs and the rules that compute a ``CacheOutcome``, one function per class of response.
struct CacheOutcomeRules {
    let entry: CacheEntry?
    let key: CacheKey
    let exchange: CacheExchange
    let settings: CacheSettings
    let now: WallTime
    let constraints: CacheConstraints
    let stored: StoredCandidate?

    func outcome(of result: ExchangeResult) -> CacheOutcome {
        guard case .response(let head, let body) = result else { return transportFailure }
        guard !exchange.plan.isPassThrough else { return received(head, .nothing) }
        switch head.status {
        case 304: return notModified(head)
        case let status where Storability.isSuccess(status): return success(head, body)
        case let status where Storability.isRedirect(status): return redirect(head, body)
        case let status where Storability.isError(status): return error(head, body)
        default: return received(head, .nothing)
        }
    }

    func received(_ head: ResponseHead, _ store: CacheOutcome.StoreChange) -> CacheOutcome {
        CacheOutcome(result: .received(head.fields.removingConnectionFields()), store: store)
    }

    /// A transport failure never changes the store, and does not count towards the pause after repeated errors
    /// (Docs/originals.md O39).
    private var transportFailure: CacheOutcome {
        guard !exchange.plan.isPassThrough, let stored, stored.mayReplaceError(status: nil, constraints, settings)
        else {
            return CacheOutcome(result: .transportFailure, store: .nothing)
        }
        return CacheOutcome(
            result: .stale(stored.cachedResponse(isFresh: false, staleReason: .transport)), store: .nothing)
    }

    /// Handles a 304 (RFC 9111 §4.3.4).
    private func notModified(_ head: ResponseHead) -> CacheOutcome {
        // The entry may have been removed or replaced since the request was sent. A 304 therefore counts only if the
        // sent validators are exactly those of the stored body.
        let sent = exchange.plan.addedFields.lines.filter {
            $0.isNamed("If-None-Match") || $0.isNamed("If-Modified-Since")
        }
        guard exchange.plan.isConditional, let stored, stored.isSuccess,
            stored.response.fields.conditions.lines == sent,
            !head.fields.identifiesOtherBody(than: stored.response.fields)
        else {
            guard !exchange.plan.isUnconditionalRetry else { return received(head, .nothing) }
            var plan = exchange.plan
            plan.addedFields.removeAll(named: "If-None-Match")
            plan.addedFields.removeAll(named: "If-Modified-Since")
            plan.isConditional = false
            plan.isUnconditionalRetry = true
            return CacheOutcome(result: .retryUnconditionally(plan), store: .nothing)
        }
        var response = stored.response.merged(
            with: head.fields, requestTime: exchange.requestTime, responseTime: exchange.responseTime)
        let vary = Vary.values(of: response.fields, request: exchange.request.fields)
        response.vary = vary ?? []
        let control = CacheControl(response.fields)
        let freshness = Freshness(of: response, control: control, settings: settings, now: now)
        let confirmed = CachedResponse(
            status: response.status, fields: response.fields(age: freshness.age), isFresh: true)

        let store: CacheOutcome.StoreChange
        if vary == nil || !mayStore(response.status, response.fields, control) {
            store = .remove
        } else {
            store = constraints.allowsStoring ? .update(CacheEntry(key: key, response: response)) : .nothing
        }
        return CacheOutcome(result: .notModified(confirmed), store: store)
    }

    private func success(_ head: ResponseHead, _ body: ReceivedBody) -> CacheOutcome {
        switch body {
        case .incomplete: return transportFailure
        case .rejected: return received(head, .nothing)
        case .complete: break
        }
        if constraints.allowsStoring, let response = storable(head) {
            // The caller receives exactly the fields that are stored.
            return CacheOutcome(
                result: .received(response.fields),
                store: .write(CacheEntry(key: key, response: response), storesBody: true))
        }
        return received(head, superseded)
    }

    /// Handles a redirect. It is stored if it has an explicit lifetime, if the default lifetime applies, or if the
    /// server policy is disabled. A redirect that is not stored does not change a stored image with the same cache key,
    /// because captive portals redirect to a login page.
    private func redirect(_ head: ResponseHead, _ body: ReceivedBody) -> CacheOutcome {
        let control = CacheControl(head.fields)
        let isFreshByDefault =
            !control.isPresent && Storability.usesDefaultMaxAge(head.status)
            && settings.defaultCacheControlMaxAge > .zero
        let isStorable =
            !settings.useServerCachePolicy || isFreshByDefault
            || Freshness.isExplicit(head.fields, control, isShared: settings.isSharedCache)
        if isStorable, case .complete = body, constraints.allowsStoring, let response = storable(head) {
            return received(head, .write(CacheEntry(key: key, response: response), storesBody: true))
        }
        let isOlderRedirect = stored.map { Storability.isRedirect($0.response.status) } ?? false
        return received(head, isOlderRedirect ? superseded : .nothing)
    }

    /// The change after a response that makes the stored one outdated but is not stored itself. The stored response is
    /// removed if the request selects its variant. Otherwise it stays stored, and only a stored error is removed.
    private var superseded: CacheOutcome.StoreChange {
        guard var entry, let response = entry.response, !Vary.matches(response, exchange.request.fields) else {
            return .remove
        }
        guard entry.failure != nil else { return .nothing }
        entry.failure = nil
        return .update(entry)
    }

    private func mayStore(_ status: Int, _ fields: HeaderFields, _ control: CacheControl) -> Bool {
        // RFC 9111 §3.5 permits shared storage of some responses to Authorization; this cache stores none of them.
        if settings.isSharedCache, exchange.request.fields.contains("Authorization") { return false }
        return !settings.useServerCachePolicy
            || Storability.allows(status: status, fields, control, isShared: settings.isSharedCache)
    }

    /// Returns the response to store; nil when it must not be stored.
    func storable(_ head: ResponseHead) -> StoredResponse? {
        guard mayStore(head.status, head.fields, CacheControl(head.fields)),
            let vary = Vary.values(of: head.fields, request: exchange.request.fields)
        else { return nil }
        return StoredResponse(
            status: head.status, fields: head.fields.removingConnectionFields(), requestTime: exchange.requestTime,
            responseTime: exchange.responseTime, createdAt: now, vary: vary)
    }
}

extension CacheOutcomeRules {
    /// Handles an error: the stored image stays unchanged (Docs/http-cache.md 6.4); the error is added to its entry.
    func error(_ head: ResponseHead, _ body: ReceivedBody) -> CacheOutcome {
        var outcome = received(head, constraints.allowsStoring ? change(after: head, body) : .nothing)
        if let stored, stored.mayReplaceError(status: head.status, constraints, settings) {
            outcome.result = .stale(stored.cachedResponse(isFresh: false, staleReason: .status(head.status)))
        }
        return outcome
    }

    private func change(after head: ResponseHead, _ body: ReceivedBody) -> CacheOutcome.StoreChange {
        let control = CacheControl(head.fields)
        if settings.useServerCachePolicy,
            Freshness.isExplicit(head.fields, control, isShared: settings.isSharedCache), let response = storable(head)
        {
            return change(afterExplicit: response, control, body)
        }
        guard settings.defaultCacheControlMaxAgeForErrors > .zero else {
            // Without a configured pause, errors are not counted, but this error ends the use of a stored error with
            // explicit freshness.
            return entry?.failure?.freshUntil == nil ? .nothing : changeStoring(nil)
        }
        return changeStoring(
            FailureRecord(
                status: head.status, after: entry?.failure, at: exchange.responseTime, settings: settings))
    }

    /// Handles an error with explicit freshness (RFC 9111 §3), which does not count towards the pause after repeated
    /// errors.
    private func change(
        afterExplicit response: StoredResponse, _ control: CacheControl, _ body: ReceivedBody
    ) -> CacheOutcome.StoreChange {
        let freshness = Freshness(of: response, control: control, settings: settings, now: now)
        guard freshness.isFresh, let remaining = freshness.remaining else { return changeStoring(nil) }
        let hasImage = entry?.response.map { !Storability.isError($0.status) } ?? false
        if !hasImage, case .complete(let bytes) = body, bytes <= CacheOutcome.maxErrorBodyBytes {
            return .write(CacheEntry(key: key, response: response), storesBody: true)
        }
        // If the entry has an image, only the error's status is stored, and only for the image's variant.
        guard response.vary == (entry?.response?.vary ?? []) else { return changeStoring(nil) }
        return changeStoring(
            FailureRecord(
                status: response.status, attempts: 1, at: response.responseTime,
                freshUntil: now.adding(milliseconds: remaining)))
    }

    /// Returns the change to an entry with this failure and an unchanged response.
    private func changeStoring(_ failure: FailureRecord?) -> CacheOutcome.StoreChange {
        guard var entry else {
            return failure.map { .write(CacheEntry(key: key, failure: $0), storesBody: false) } ?? .nothing
        }
        guard entry.failure != failure else { return .nothing }
        entry.failure = failure
        return failure == nil && entry.response == nil ? .remove : .update(entry)
    }
}

extension CacheOutcome {
    /// Computes the outcome of an exchange.
    ///
    /// - Parameters:
    ///   - entry: The entry now stored under the key, as in ``CacheDecision/decide(entry:request:settings:now:)``; nil
    ///     when it was removed meanwhile.
    ///   - exchange: The request that was sent.
    ///   - result: The result of the request.
    ///   - key: The cache key of the request.
    ///   - settings: The cache settings of the application.
    ///   - now: The time at which the body ended.
    static func decide(
        entry: CacheEntry?, key: CacheKey, exchange: CacheExchange, result: ExchangeResult, settings: CacheSettings,
        now: WallTime
    ) -> CacheOutcome {
        let rules = CacheOutcomeRules(
            entry: entry, key: key, exchange: exchange, settings: settings, now: now,
            constraints: CacheConstraints(exchange.request, settings: settings),
            stored: StoredCandidate(entry, request: exchange.request, settings: settings, now: now))
        return rules.outcome(of: result)
    }
}
