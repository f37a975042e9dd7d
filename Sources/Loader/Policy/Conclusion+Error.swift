#if Loader
extension Conclusion {
    /// An error leaves a stored image as it is (HTTP-CACHE 6.4); what is remembered of it stands beside the image.
    func error(_ head: ResponseHead, _ body: ReceivedBody) -> CacheOutcome {
        var outcome = received(head, demand.allowsStoring ? change(after: head, body) : .nothing)
        if let stored, stored.answers(insteadOf: head.status, demand, settings) {
            outcome.answer = .stale(stored.answer(isFresh: false, insteadOf: .status(head.status)))
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
            // Nothing is counted, but an earlier error's freshness does not outlast the next error.
            return entry?.failure?.freshUntil == nil ? .nothing : remembering(nil)
        }
        return remembering(
            RememberedFailure(
                status: head.status, after: entry?.failure, at: exchange.responseTime, settings: settings))
    }

    /// The server says itself how long its error is to be reused (RFC 9111 §3): that is no case for counting.
    private func change(
        afterExplicit response: StoredResponse, _ control: CacheControl, _ body: ReceivedBody
    ) -> CacheOutcome.StoreChange {
        let freshness = Freshness(of: response, control: control, settings: settings, now: now)
        guard freshness.isFresh, let remaining = freshness.remaining else { return remembering(nil) }
        let hasImage = entry?.response.map { !Storability.isError($0.status) } ?? false
        if !hasImage, case .complete(let bytes) = body, bytes <= CacheOutcome.maxErrorBodyBytes {
            return .write(CacheEntry(key: key, response: response), keepsBody: true)
        }
        // Beside the image only the status is remembered, and for no other variant than the image's.
        guard response.vary == (entry?.response?.vary ?? []) else { return remembering(nil) }
        return remembering(
            RememberedFailure(
                status: response.status, attempts: 1, at: response.responseTime,
                freshUntil: now.adding(milliseconds: remaining)))
    }

    /// The entry with this failure and its response as it was.
    private func remembering(_ failure: RememberedFailure?) -> CacheOutcome.StoreChange {
        guard var entry else {
            return failure.map { .write(CacheEntry(key: key, failure: $0), keepsBody: false) } ?? .nothing
        }
        guard entry.failure != failure else { return .nothing }
        entry.failure = failure
        return failure == nil && entry.response == nil ? .remove : .update(entry)
    }
}
#endif
