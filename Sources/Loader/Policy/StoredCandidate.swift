#if Loader
/// A stored response that may be considered for a request: its variant is the one asked for, and it was right to store.
struct StoredCandidate: Hashable, Sendable {
    let response: StoredResponse
    let control: CacheControl
    let freshness: Freshness
    /// True when it is the host's decision alone how long the response is used.
    private let ignoresServer: Bool
    private let isShared: Bool

    /// The entry's response as `request` sees it at `now`; nil when there is none that may be used.
    init?(_ entry: CacheEntry?, request: CacheRequest, settings: CacheSettings, now: WallTime) {
        guard let response = entry?.response, Vary.matches(response, request.fields) else { return nil }
        control = CacheControl(response.fields)
        ignoresServer = !settings.useServerCachePolicy
        isShared = settings.isSharedCache
        // It may have been stored while the host had another mind about the server: what was stored against the server's
        // will is not used with it, and an error that the server let live for a while is not used without it.
        let isAllowed =
            ignoresServer
            ? !Storability.isError(response.status)
            : Storability.allows(
                status: response.status, response.fields, control, isShared: settings.isSharedCache)
        guard isAllowed else { return nil }
        self.response = response
        freshness = Freshness(of: response, control: control, settings: settings, now: now)
    }

    /// True for an image, false for a redirect or an error.
    var isSuccess: Bool { Storability.isSuccess(response.status) }

    /// True when it may be used stale at all: errors may not, and nothing that the server forbids (RFC 9111 §4.2.4).
    var mayBeStale: Bool {
        guard !Storability.isError(response.status) else { return false }
        return ignoresServer || !control.forbidsStale && !(isShared && control.forbidsSharedStale)
    }

    /// True when a caller who only wants to be sure need not ask (RFC 8246 §2).
    var suppressesRevalidation: Bool { ignoresServer || control.contains("immutable") }

    /// True within the window of `stale-while-revalidate`.
    var isInRefreshWindow: Bool {
        guard mayBeStale, let window = control.staleWhileRevalidate else { return false }
        return freshness.isStale(forAtMost: window * 1000)
    }

    /// True when the host and the server let it stand in for an error now.
    func standsInForError(_ settings: CacheSettings) -> Bool {
        guard isSuccess, mayBeStale else { return false }
        let directive = (control.staleIfError ?? 0) * 1000
        switch settings.staleIfError {
        case .never: return false
        case .serverDirective: return control.staleIfError != nil && freshness.isStale(forAtMost: directive)
        case .upTo(let limit): return freshness.isStale(forAtMost: max(limit.milliseconds, directive))
        }
    }

    /// What is shown of it.
    func answer(isFresh: Bool, insteadOf failure: AnswerFailure? = nil) -> StoredAnswer {
        StoredAnswer(
            status: response.status, fields: response.fields(age: freshness.age), isFresh: isFresh, insteadOf: failure)
    }
}
#endif
