/// Counters of a ``MemoryCache`` since its creation; they are never reset.
///
/// `hits + misses` is the number of calls of `value(for:)`, and `inserts - evictions.total` the number of entries.
public struct MemoryCacheStatistics: Hashable, Sendable {
    /// Calls of `value(for:)` that returned a value.
    public var hits = 0
    /// Calls of `value(for:)` that returned nil.
    public var misses = 0
    /// Calls of `insert` that stored the value.
    public var inserts = 0
    /// Calls of `insert` that stored nothing, because the cost of the value alone exceeded `maxBytes`.
    public var refusals = 0
    /// Removed entries, by reason.
    public var evictions = Evictions()

    /// Creates statistics with all counters 0.
    public init() {}

    /// A count for each ``EvictionReason``.
    public struct Evictions: Hashable, Sendable {
        @usableFromInline var counts: ContiguousArray<Int>

        init() { counts = ContiguousArray(repeating: 0, count: EvictionReason.allCases.count) }

        /// The number of entries removed for `reason`.
        @inlinable
        public internal(set) subscript(reason: EvictionReason) -> Int {
            get { counts[reason.rawValue] }
            set { counts[reason.rawValue] = newValue }
        }

        /// The number of entries removed for any reason.
        public var total: Int { counts.reduce(0, +) }
    }
}

/// The reason why an entry was removed from a ``MemoryCache``.
@frozen
public enum EvictionReason: Int, CaseIterable, Sendable {
    /// Evicted as the least recently used entry to free bytes, also after `maxBytes` was lowered.
    case capacity
    /// Evicted as the least recently used entry because the number of entries had reached `maxCount`.
    case countLimit
    /// Removed by `removeExpired(now:)` after its expiry.
    case expired
    /// Replaced by another value that was inserted for its key.
    case replaced
    /// Removed because a value whose cost exceeds `maxBytes` was inserted for its key; the key then has no entry.
    case oversize
    /// Removed by `removeValue(for:)`.
    case removed
    /// Removed by `removeAll()`.
    case cleared
    /// Evicted by `relieveMemoryPressure(to:)`.
    case pressure
}

extension MemoryCacheStatistics: CustomStringConvertible {
    /// All counters in one line; the removals by reason without the counts that are 0.
    public var description: String {
        "MemoryCacheStatistics(hits: \(hits), misses: \(misses), inserts: \(inserts), refusals: \(refusals), "
            + "evictions: \(evictions))"
    }
}

extension MemoryCacheStatistics.Evictions: CustomStringConvertible {
    /// The counts that are not 0, by reason, in one line.
    public var description: String {
        var text = ChangedProperties(of: "Evictions")
        for reason in EvictionReason.allCases { text.add("\(reason)", self[reason], default: 0) }
        return text.text
    }
}
