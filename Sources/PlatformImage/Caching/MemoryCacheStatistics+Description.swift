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
