import PlatformImage

/// Cache of parsed and verified targets whose results were in memory at the last request.
///
/// The meaning of a target depends only on its bytes, on the configuration, and on `Accept` where formats are
/// negotiated. Only targets with a successful response are added, so that invalid requests cannot fill the cache.
final class VerifiedTargetCache: Sendable {
    struct Target: Sendable {
        let request: ThumbnailRequest
        let dialect: DialectName
        /// Cache key of the result.
        let key: ResultKey
        let dependsOnAccept: Bool
    }

    /// Cache key of a target. It stores bytes, because `String` equality is canonical equivalence, while a signature
    /// covers bytes.
    struct Name: Hashable, Sendable {
        fileprivate let target: [UInt8]
        private let accepted: NegotiatedFormats

        /// Creates a key.
        ///
        /// - Parameter accepted: The formats that negotiation selects.
        init(_ target: String, accepted: NegotiatedFormats) {
            self.target = Array(target.utf8)
            self.accepted = accepted
        }
    }

    private let memory: MemoryCache<Name, Target>

    /// Creates an empty cache.
    ///
    /// - Parameter maxBytes: Maximum size in bytes; an entry counts as 2,048 bytes plus three times the target's
    ///   length.
    init(maxBytes: Int = 4 << 20) { memory = MemoryCache(maxBytes: maxBytes) }

    func find(_ name: Name) -> Target? { memory.value(for: name) }

    func insert(_ verified: Target, for name: Name) {
        _ = memory.insert(verified, for: name, cost: 2_048 + 3 * name.target.count)
    }
}
