#if Service
import PlatformImage

/// Targets whose results were in memory when they were last asked for: parsed, verified and named already.
///
/// What a target asks for depends on its bytes and the configuration alone, and on Accept where formats are negotiated. Only
/// targets that were answered come in here, so that nobody can fill it with others.
final class KnownTargets: Sendable {
    struct Target: Sendable {
        let wish: ThumbnailRequest
        let dialect: DialectName
        /// Of the result.
        let key: ResultKey
        let dependsOnAccept: Bool
    }

    /// Bytes, since a `String` is equal to one with other bytes for the same letters, and a signature is of bytes.
    struct Name: Hashable, Sendable {
        fileprivate let target: [UInt8]
        private let accepted: OutputWish.Format?

        /// - Parameter accepted: What negotiation would choose; nil without it.
        init(_ target: String, accepted: OutputWish.Format?) {
            self.target = Array(target.utf8)
            self.accepted = accepted
        }
    }

    private let memory: MemoryCache<Name, Target>

    /// - Parameter maxBytes: What targets may take, by an estimate of 2 kB each besides their own length.
    init(maxBytes: Int = 4 << 20) { memory = MemoryCache(maxBytes: maxBytes) }

    func find(_ name: Name) -> Target? { memory.value(for: name) }

    func insert(_ known: Target, for name: Name) {
        _ = memory.insert(known, for: name, cost: 2_048 + 3 * name.target.count)
    }
}
#endif
