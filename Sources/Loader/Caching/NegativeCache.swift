import PlatformImage

/// An in-memory negative cache of failures that an early retry would repeat (O83 in Docs/originals.md): 404, 410, a
/// content type that is not accepted, a body that cannot be decoded. The least recently used failures are evicted
/// first.
final class NegativeCache: Sendable {
    private struct Failure: Sendable {
        let error: LoadError
        let at: WallTime
        let acceptance: Acceptance

        /// Returns true when a load with the criteria `other` would fail with this error; an HTTP error applies to all
        /// loads.
        func applies(to other: Acceptance) -> Bool {
            switch error.code {
            case .unacceptableContentType: acceptance.acceptedContentTypes == other.acceptedContentTypes
            case .undecodable, .unsupportedFormat: acceptance == other
            default: true
            }
        }
    }

    /// The acceptance criteria of a load.
    struct Acceptance: Hashable, Sendable {
        /// The accepted content types, as in ``Load``.
        var acceptedContentTypes: Set<ContentType>?
        /// The decoding parameters; nil when the load does not decode.
        var variant: String?
    }

    private let failures: MemoryCache<CacheKey, Failure>?

    /// Creates an empty cache.
    ///
    /// - Parameter maxCount: Maximum number of failures; 0 or less stores none.
    init(maxCount: Int = 1_024) {
        failures = maxCount > 0 ? MemoryCache(maxBytes: maxCount, maxCount: maxCount) : nil
    }

    /// Number of stored failures, including expired ones.
    var count: Int { failures?.count ?? 0 }

    /// Stores the failure of a load if it is definitive: an early retry would fail for the same reason. Ignores other
    /// failures.
    func remember(_ error: LoadError, for key: CacheKey, now: WallTime, acceptance: Acceptance = Acceptance()) {
        guard Self.isDefinitive(error) else { return }
        _ = failures?.insert(Failure(error: error, at: now, acceptance: acceptance), for: key, cost: 1)
    }

    /// Returns the error `remembered`, which contains the stored error; the load then sends no request. Nil when no
    /// failure applies.
    ///
    /// - Parameters:
    ///   - maxAge: Lifetime of a failure: at this age the failure has expired. Nil or 0 disables the cache.
    ///   - now: The current time. If it is before the failure, the clock was set back, and the failure is discarded.
    ///   - acceptance: The acceptance criteria of the load; they may accept a response that another load rejected.
    func failure(
        for key: CacheKey, maxAge: Duration?, now: WallTime, acceptance: Acceptance = Acceptance()
    ) -> LoadError? {
        guard let failures, let failure = failures.value(for: key) else { return nil }
        guard let maxAge else { return nil }
        let until = failure.at.adding(milliseconds: maxAge.milliseconds)
        guard failure.at <= now, now < until else {
            failures.removeValue(for: key)
            return nil
        }
        return failure.applies(to: acceptance) ? .remembered(failure.error, until: until) : nil
    }

    /// Removes the failure of a key, after a success or a reload.
    func remove(_ key: CacheKey) { failures?.removeValue(for: key) }

    /// Removes all failures.
    func removeAll() { failures?.removeAll() }

    private static func isDefinitive(_ error: LoadError) -> Bool {
        switch error.code {
        case .http: error.statusCode == 404 || error.statusCode == 410
        case .unacceptableContentType, .undecodable, .unsupportedFormat: true
        default: false
        }
    }
}
