internal import PlatformImage

/// Derives the cache policy's outcome and the result of the fetch from a decoded response, without I/O or side effects.
struct FetchEvaluation {
    private let received: ReceivedResponse
    /// The decoded images or the bytes; nil when there are none or they were rejected.
    private let content: FetchedContent?
    /// The error of the fetch, unless the policy provides a stale response.
    private let failure: FetchFailure?
    private let body: ReceivedBody
    private let hop: LoadHop

    /// - Parameter decoded: The result of decoding the body; nil for a body that is not decoded.
    init(_ received: ReceivedResponse, _ decoded: Result<FetchedContent, FetchFailure>?, _ hop: LoadHop) {
        self.received = received
        self.hop = hop
        if case .failure(let refused)? = decoded {
            let response = received.head.map { FailedResponse($0, body: received.content) }
            let failure = FetchFailure(
                error: refused.error.withResponse(response),
                variants: refused.variants?.mapValues { $0.withResponse(response) })
            (content, self.failure, body) = (nil, failure, .rejected)
        } else {
            content = try? decoded?.get()
            failure = received.error.map { FetchFailure(error: $0) }
            body = received.body
        }
    }

    /// The failure of a fetch that the cache policy does not handle: it was cancelled, or it failed before a response
    /// for a reason other than the network. Nil for other failures and for a success.
    ///
    /// - Parameter isCancelled: True when the task of the fetch is cancelled.
    func failureWithoutPolicy(isCancelled: Bool) -> FetchFailure? {
        if isCancelled || failure?.error.code == .cancelled {
            return FetchFailure(error: .cancelled(url: Redaction.masked(hop.url)))
        }
        guard received.head == nil, let failure, failure.error.code != .transport else { return nil }
        return failure
    }

    /// The outcome of the cache policy for the response.
    func outcome(
        _ plan: RequestPlan, _ found: LookupResult, _ settings: CacheSettings, now: WallTime
    ) -> CacheOutcome {
        let exchange = CacheExchange(
            request: hop.request, plan: plan, requestTime: received.requestTime, responseTime: received.responseTime)
        return CacheOutcome.decide(
            entry: found.entry, key: hop.key, exchange: exchange,
            result: received.head.map { .response($0, body: body) } ?? .transportFailure, settings: settings, now: now)
    }

    /// The result of the fetch.
    ///
    /// - Parameter stored: The cache entry after the change that the outcome requires.
    func result(_ outcome: CacheOutcome, _ stored: StoredState, _ plan: RequestPlan, _ found: LookupResult)
        -> FetchResult
    {
        switch outcome.result {
        case .received(let fields):
            let status = received.head?.status ?? 0
            if let failure { return .failure(failure) }
            guard content != nil || Storability.isRedirect(status) || hop.load.returnsToCaller(status, plan) else {
                let error = LoadError(
                    .unexpectedStatus, url: Redaction.masked(hop.url), statusCode: status, "status \(status)")
                let response = received.head.map { FailedResponse($0, body: received.content) }
                return .failure(FetchFailure(error: error.withResponse(response)))
            }
            return .success(
                FetchedResponse(
                    .received, status: status, fields: fields, isFresh: true, entry: stored.entry,
                    revision: stored.revision, body: received.content, content: content ?? FetchedContent()))
        case .notModified(let response):
            var found = found
            // With `no-store` on the request the stored response stays unchanged.
            if outcome.store != .nothing { found.revision = stored.revision }
            return .success(FetchedResponse(.notModified, response, found, hop, entry: stored.entry))
        case .stale(let response):
            return .success(FetchedResponse(.stored, response, found, hop, entry: found.entry, staleReason: error))
        case .retryUnconditionally, .transportFailure:
            return .failure(FetchFailure(error: error))
        }
    }

    private var error: LoadError { failure?.error ?? .transport("no response", url: Redaction.masked(hop.url)) }
}
