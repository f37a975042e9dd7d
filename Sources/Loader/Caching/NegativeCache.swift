#if Loader
import PlatformImage

/// Failures that no repetition soon would change, remembered in memory only (O83): 404, 410, a type that is not accepted,
/// a body that is no picture. The least recently used ones are forgotten first.
final class NegativeCache: Sendable {
    private struct Failure: Sendable {
        let error: LoadError
        let at: WallTime
        let taking: Taking

        /// True when a load that takes this would fail in the same way: the origin's word counts for all of them.
        func stands(for other: Taking) -> Bool {
            switch error.code {
            case .unacceptableContentType: taking.acceptedContentTypes == other.acceptedContentTypes
            case .undecodable, .unsupportedFormat: taking == other
            default: true
            }
        }
    }

    /// What a load takes for a success.
    struct Taking: Hashable, Sendable {
        /// As in ``Load``.
        var acceptedContentTypes: Set<ContentType>?
        /// How it decodes; nil for not at all.
        var variant: String?
    }

    private let failures: MemoryCache<CacheKey, Failure>?

    /// An empty memory.
    ///
    /// - Parameter maxCount: Failures remembered at once; 0 or less remembers none.
    init(maxCount: Int = 1_024) {
        failures = maxCount > 0 ? MemoryCache(maxBytes: maxCount, maxCount: maxCount) : nil
    }

    /// Failures that are remembered, also those whose time is over.
    var count: Int { failures?.count ?? 0 }

    /// Remembers how a load failed, from now on; a failure that is not definitive changes nothing.
    func remember(_ error: LoadError, for key: CacheKey, now: WallTime, by taking: Taking = Taking()) {
        guard Self.isDefinitive(error) else { return }
        _ = failures?.insert(Failure(error: error, at: now, taking: taking), for: key, cost: 1)
    }

    /// The error that answers a load without asking the origin: `remembered`, with what it was; nil for none.
    ///
    /// - Parameters:
    ///   - maxAge: How long a failure counts, with the end excluded; nil remembers nothing, and 0 neither.
    ///   - now: Before the failure, the clock was set back: then it is forgotten.
    ///   - taking: What the load takes; another one may take what the one that failed did not.
    func failure(
        for key: CacheKey, maxAge: Duration?, now: WallTime, by taking: Taking = Taking()
    ) -> LoadError? {
        guard let failures, let failure = failures.value(for: key) else { return nil }
        guard let maxAge else { return nil }
        let until = failure.at.adding(milliseconds: maxAge.milliseconds)
        guard failure.at <= now, now < until else {
            failures.removeValue(for: key)
            return nil
        }
        return failure.stands(for: taking) ? .remembered(failure.error, until: until) : nil
    }

    /// Forgets one key, after a success or a reload.
    func forget(_ key: CacheKey) { failures?.removeValue(for: key) }

    /// Forgets everything.
    func forgetAll() { failures?.removeAll() }

    private static func isDefinitive(_ error: LoadError) -> Bool {
        switch error.code {
        case .http: error.statusCode == 404 || error.statusCode == 410
        case .unacceptableContentType, .undecodable, .unsupportedFormat: true
        default: false
        }
    }
}
#endif
