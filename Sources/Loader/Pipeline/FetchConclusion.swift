#if Loader
internal import PlatformImage

/// The policy's outcome for a decoded response, and the end of the fetch that follows from it; pure.
struct FetchConclusion {
    private let received: ReceivedResponse
    /// The image or the bytes; nil for what is none or was refused.
    private let content: LoadContent?
    /// What the fetch fails with unless the policy has something better.
    private let failure: FetchFailure?
    private let body: ReceivedBody
    private let hop: LoadHop

    /// - Parameter decoded: What came of decoding the body; nil for one that is not decoded.
    init(_ received: ReceivedResponse, _ decoded: Result<LoadContent, FetchFailure>?, _ hop: LoadHop) {
        self.received = received
        self.hop = hop
        if case .failure(let refused)? = decoded {
            let error = refused.error.about(received.head.map { FailedResponse($0, body: received.content) })
            (content, failure, body) = (nil, FetchFailure(error: error, variant: refused.variant), .rejected)
        } else {
            content = try? decoded?.get()
            failure = received.error.map { FetchFailure(error: $0) }
            body = received.body
        }
    }

    /// The end of a fetch in which the policy has no say: it was cancelled, or failed before any response for another
    /// reason than the network; nil for one in which it has.
    ///
    /// - Parameter isCancelled: True when the fetch's task is.
    func endWithoutPolicy(isCancelled: Bool) -> FetchFailure? {
        if isCancelled || failure?.error.code == .cancelled {
            return FetchFailure(error: .cancelled(url: Redaction.shown(hop.url)))
        }
        guard received.head == nil, let failure, failure.error.code != .transport else { return nil }
        return failure
    }

    /// What the policy makes of the response.
    func outcome(
        _ plan: RequestPlan, _ found: FoundEntry, _ settings: CacheSettings, now: WallTime
    ) -> CacheOutcome {
        let exchange = CacheExchange(
            request: hop.request, plan: plan, requestTime: received.requestTime, responseTime: received.responseTime)
        return CacheOutcome.conclude(
            entry: found.entry, key: hop.key, exchange: exchange,
            result: received.head.map { .response($0, body: body) } ?? .transportFailure, settings: settings, now: now)
    }

    /// What the fetch ends with.
    ///
    /// - Parameter stored: What the caches hold after the outcome's change.
    func end(_ outcome: CacheOutcome, _ stored: StoredState, _ plan: RequestPlan, _ found: FoundEntry) -> FetchEnd {
        switch outcome.answer {
        case .received(let fields):
            let status = received.head?.status ?? 0
            if let failure { return .failure(failure) }
            guard content != nil || Storability.isRedirect(status) || hop.load.givesBack(status, plan) else {
                let error = LoadError(
                    .unexpectedStatus, url: Redaction.shown(hop.url), statusCode: status, "status \(status)")
                let response = received.head.map { FailedResponse($0, body: received.content) }
                return .failure(FetchFailure(error: error.about(response)))
            }
            return .success(
                Fetched(
                    .received, status: status, fields: fields, isFresh: true, entry: stored.entry,
                    revision: stored.revision, body: received.content, content: content,
                    variant: hop.load.decoding?.variant))
        case .notModified(let answer):
            var found = found
            // A request that forbids storing leaves what is stored where it is.
            if outcome.store != .nothing { found.revision = stored.revision }
            return .success(Fetched(.notModified, answer, found, hop, entry: stored.entry))
        case .stale(let answer):
            return .success(Fetched(.stored, answer, found, hop, entry: found.entry, insteadOf: error))
        case .refetch, .transportFailure:
            return .failure(FetchFailure(error: error))
        }
    }

    private var error: LoadError { failure?.error ?? .transport("no response", url: Redaction.shown(hop.url)) }
}
#endif
