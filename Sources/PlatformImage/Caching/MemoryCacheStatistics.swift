/// What happened to a ``MemoryCache`` since it was made; no call resets it.
///
/// `hits + misses` is the number of calls of `value(for:)`, and `inserts - evictions.total` the number of entries.
public struct MemoryCacheStatistics: Hashable, Sendable {
    /// Calls of `value(for:)` that found something.
    public var hits = 0
    /// Calls of `value(for:)` that found nothing.
    public var misses = 0
    /// Calls of `insert` that stored their value.
    public var inserts = 0
    /// Calls of `insert` that stored nothing, because the cost was over the whole limit.
    public var refusals = 0
    /// Entries that left, by reason.
    public var evictions = Evictions()

    /// Nothing happened yet.
    public init() {}

    /// A count for each ``EvictionReason``.
    public struct Evictions: Hashable, Sendable {
        @usableFromInline var counts: ContiguousArray<Int>

        init() { counts = ContiguousArray(repeating: 0, count: EvictionReason.allCases.count) }

        /// The number of entries that left for `reason`.
        @inlinable
        public internal(set) subscript(reason: EvictionReason) -> Int {
            get { counts[reason.rawValue] }
            set { counts[reason.rawValue] = newValue }
        }

        /// The number of entries that left for any reason.
        public var total: Int { counts.reduce(0, +) }
    }
}

/// Why an entry left a ``MemoryCache``.
@frozen
public enum EvictionReason: Int, CaseIterable, Sendable {
    /// It was the least recently used when bytes were needed, or when `maxBytes` was lowered.
    case capacity
    /// It was the least recently used when the number of entries had reached `maxCount`.
    case countLimit
    /// `removeExpired(now:)` found its time over.
    case expired
    /// Another value was inserted for its key.
    case replaced
    /// A value too large for the whole cache was inserted for its key, which then holds nothing.
    case oversize
    /// `removeValue(for:)`.
    case removed
    /// `removeAll()`.
    case cleared
    /// `relieveMemoryPressure(to:)`.
    case pressure
}

extension MemoryCacheStatistics: CustomStringConvertible {
    /// All counts in one line.
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
