import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader
import Synchronization

/// Cache of parsed and verified targets whose results were in memory at the last request.
///
/// The meaning of a target depends only on its bytes, on the configuration, and on `Accept` where formats are
/// negotiated. Only targets with a successful response are added, so that invalid requests cannot fill the cache.
final class VerifiedTargetCache: Sendable {
    final class Target: Sendable {
        let request: ThumbnailRequest
        let dialect: DialectName
        /// Cache key of the result.
        let key: ResultKey
        let dependsOnAccept: Bool
        private let ready = Mutex<ReadyFields?>(nil)

        init(request: ThumbnailRequest, dialect: DialectName, key: ResultKey, dependsOnAccept: Bool) {
            (self.request, self.dialect, self.key) = (request, dialect, key)
            self.dependsOnAccept = dependsOnAccept
        }

        /// The fields of responses with a result in a second; made when those that were made last have another result
        /// or another second.
        ///
        /// - Parameter make: Returns nil for a result that is not fresh.
        func readyFields(
            of result: StoredResult, second: Int64, _ make: () -> ReadyFields?
        ) -> ReadyFields? {
            let last = ready.locked(in: self) { $0 }
            if let last, last.second == second, last.validatedAt == result.facts.validatedAt,
                last.entityTag == result.facts.entityTag
            {
                return last
            }
            let new = make()
            ready.locked(in: self) { $0 = new }
            return new
        }
    }

    /// The fields of all responses with one result to one target in one second, in their wire form. Only
    /// `X-Request-ID` is missing.
    final class ReadyFields: Sendable {
        let second: Int64
        let validatedAt: WallTime
        let entityTag: String
        /// Bytes of ``entityTag``.
        let entityTagBytes: [UInt8]
        /// Fields with status 200.
        let complete: FieldBlock
        /// Fields with status 304.
        let unchanged: FieldBlock
        /// Counters of the responses.
        let completeCount, unchangedCount: PrometheusCounter?

        init(
            second: Int64, _ facts: StoredResult.Facts, complete: FieldBlock, unchanged: FieldBlock,
            completeCount: PrometheusCounter?, unchangedCount: PrometheusCounter?
        ) {
            (self.second, validatedAt, entityTag) = (second, facts.validatedAt, facts.entityTag)
            entityTagBytes = Array(facts.entityTag.utf8)
            (self.complete, self.unchanged) = (complete, unchanged)
            (self.completeCount, self.unchangedCount) = (completeCount, unchangedCount)
        }
    }

    /// Cache key of a target. It stores bytes, because `String` equality is canonical equivalence, while a signature
    /// covers bytes.
    struct Name: Hashable, Sendable {
        fileprivate let target: [UInt8]
        private let accepted: NegotiatedFormats

        /// Creates a key.
        ///
        /// - Parameter accepted: The formats that negotiation selects.
        init(_ target: [UInt8], accepted: NegotiatedFormats) {
            (self.target, self.accepted) = (target, accepted)
        }

        init(_ target: String, accepted: NegotiatedFormats) { self.init(Array(target.utf8), accepted: accepted) }

        /// Only the target is hashed: there are few tables of formats, and their hash takes longer.
        func hash(into hasher: inout Hasher) { target.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private let memory: MemoryCache<Name, Target>

    /// Creates an empty cache.
    ///
    /// - Parameter maxBytes: Maximum size in bytes; an entry counts as 4,096 bytes plus three times the target's
    ///   length.
    init(maxBytes: Int = 8 << 20) { memory = MemoryCache(maxBytes: maxBytes) }

    func find(_ name: Name) -> Target? { memory.value(for: name) }

    func insert(_ verified: Target, for name: Name) {
        _ = memory.insert(verified, for: name, cost: 4_096 + 3 * name.target.count)
    }
}
