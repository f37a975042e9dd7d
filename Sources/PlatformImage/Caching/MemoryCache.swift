public import Synchronization

/// A thread-safe LRU cache with a limit in bytes that is never exceeded.
///
/// At every instant ``totalBytes`` is the sum of the costs of the entries and at most ``maxBytes``: entries are evicted
/// before a new one is stored, strictly in least-recently-used order. Every call acquires one lock, which is not held
/// while keys are hashed, values are released or events are delivered.
///
/// Entries that remain when the cache is released produce no events.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The removal of one entry.
    public struct Eviction: Sendable {
        /// The key of the removed entry.
        public let key: Key
        /// The value of the removed entry; released together with this event, unless the handler stores it.
        public let value: Value
        /// The cost in bytes passed to `insert`.
        public let cost: Int
        /// The reason for the removal.
        public let reason: EvictionReason

        @inlinable
        init(_ key: Key, _ content: LRUTable<Key, Value>.Content, _ reason: EvictionReason) {
            self.key = key
            value = content.value
            cost = content.cost
            self.reason = reason
        }
    }

    /// The maximum number of entries, at least 1; nil for no limit.
    public let maxCount: Int?
    @usableFromInline let onEviction: (@Sendable (Eviction) -> Void)?
    @usableFromInline let state: Mutex<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: The maximum sum of the costs of all entries, in bytes, 0 or more; 0 stores nothing.
    ///   - maxCount: The maximum number of entries, at least 1; nil for no limit.
    ///   - onEviction: Called exactly once for every removed entry, on the thread whose call removed it, before that
    ///     call returns. The lock of the cache is not held: `onEviction` may use the cache. Events of one call are in
    ///     the order of removal; calls on different threads may overlap.
    public init(maxBytes: Int, maxCount: Int? = nil, onEviction: (@Sendable (Eviction) -> Void)? = nil) {
        precondition(maxBytes >= 0, "maxBytes must be 0 or more")
        precondition(maxCount ?? 1 >= 1, "maxCount must be 1 or more")
        self.maxCount = maxCount
        self.onEviction = onEviction
        state = Mutex(State(maxBytes: maxBytes))
    }

    /// Returns the value for `key` and makes it the most recently used; nil when the cache has no entry for `key`.
    ///
    /// Expiry is not checked: an expired entry is returned until ``removeExpired(now:)`` removes it.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        return locked { state in
            let number = state.table.find(key, hash: hash)
            guard number != 0 else {
                state.statistics.misses &+= 1
                return nil
            }
            state.statistics.hits &+= 1
            state.table.makeNewest(number)
            return state.table.contents[number]?.value
        }
    }

    /// Returns the value for `key` without changing its position and without counting a hit or a miss.
    @inlinable
    public func peek(_ key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        return locked { $0.table.contents[$0.table.find(key, hash: hash)]?.value }
    }

    /// Stores a value as the most recently used, after evicting the least recently used entries until it fits.
    ///
    /// The previous value of `key` is removed first, so a replacement of the same or a lower cost evicts no other
    /// entry.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The key of the value.
    ///   - cost: Size in bytes, at least 1; less is a programming error and traps.
    /// - Returns: `false` when `cost` alone exceeds ``maxBytes``: the value of `key` is then removed, and no other
    ///   entry is evicted.
    @inlinable
    @discardableResult
    public func insert(_ value: Value, for key: Key, cost: Int) -> Bool {
        precondition(cost >= 1, "cost must be 1 or more")
        let hash = LRUTable<Key, Value>.hash(of: key)
        let content = LRUTable<Key, Value>.Content(value: value, cost: cost, expires: false)
        var removed = RemovedEntries()
        let number = locked {
            $0.insert(key, content, hash: hash, maxCount: maxCount ?? .max, removed: &removed)
        }
        deliver(removed, of: key)
        return number != 0
    }

    /// Stores a value as the `insert` without `expiry` does. ``removeExpired(now:)`` removes it when `now` is `expiry`
    /// or later.
    @discardableResult
    public func insert(_ value: Value, for key: Key, cost: Int, expiry: ContinuousClock.Instant) -> Bool {
        precondition(cost >= 1, "cost must be 1 or more")
        let hash = LRUTable<Key, Value>.hash(of: key)
        let content = LRUTable<Key, Value>.Content(value: value, cost: cost, expires: true)
        var removed = RemovedEntries()
        let number = locked { state in
            let number = state.insert(key, content, hash: hash, maxCount: maxCount ?? .max, removed: &removed)
            if number != 0 { state.table.expiries[number] = expiry }
            return number
        }
        deliver(removed, of: key)
        return number != 0
    }

    /// Removes the entry of `key`.
    ///
    /// - Returns: The removed value; nil when the cache had no entry for `key`.
    @inlinable
    @discardableResult
    public func removeValue(for key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        var removed = RemovedEntries()
        locked { state in
            let number = state.table.find(key, hash: hash)
            if number != 0 { state.remove(number, .removed, &removed) }
        }
        deliver(removed)
        return removed.first?.value
    }

    /// Removes all entries.
    public func removeAll() {
        // The table is swapped under the lock, so the lock time does not depend on the number of entries.
        let removed = locked { state in
            var table = LRUTable<Key, Value>()
            swap(&table, &state.table)
            state.totalBytes = 0
            state.statistics.evictions[.cleared] += table.count
            return table
        }
        guard let onEviction else { return }
        var number = removed.oldest
        while let key = removed.keys[number], let content = removed.contents[number] {
            onEviction(Eviction(key, content, .cleared))
            number = removed.newer(than: number)
        }
    }

    /// Removes the entries whose expiry is `now` or earlier, in least-recently-used order.
    ///
    /// Holds the lock while it visits every entry; returns immediately when no entry has an expiry.
    public func removeExpired(now: ContinuousClock.Instant) {
        var removed = RemovedEntries()
        locked { state in
            guard !state.table.expiries.isEmpty else { return }
            var number = state.table.oldest
            while number != 0 {
                let next = state.table.newer(than: number)
                if let expiry = state.table.expiries[number], expiry <= now {
                    state.remove(number, .expired, &removed)
                }
                number = next
            }
        }
        deliver(removed)
    }

    /// Evicts the least recently used entries until ``totalBytes`` is at most `fraction` of ``maxBytes``.
    ///
    /// - Parameter fraction: 0...1; 0 empties the cache. A value outside this range is a programming error and traps.
    public func relieveMemoryPressure(to fraction: Double) {
        precondition(fraction >= 0 && fraction <= 1, "fraction must be in 0...1")
        var removed = RemovedEntries()
        locked { state in
            let target = fraction == 1 ? state.maxBytes : Int(Double(state.maxBytes) * fraction)
            state.evict(downTo: target, .pressure, &removed)
        }
        deliver(removed)
    }

    /// The maximum sum of the costs of all entries, in bytes, 0 or more.
    ///
    /// A lower value evicts the least recently used entries before the setter returns; a higher value evicts nothing.
    public var maxBytes: Int {
        get { locked { $0.maxBytes } }
        set {
            precondition(newValue >= 0, "maxBytes must be 0 or more")
            var removed = RemovedEntries()
            locked { state in
                state.maxBytes = newValue
                state.evict(downTo: newValue, .capacity, &removed)
            }
            deliver(removed)
        }
    }

    /// The sum of the costs of all entries, in bytes.
    public var totalBytes: Int { locked { $0.totalBytes } }

    /// The maximum of ``totalBytes`` since the cache was created.
    public var peakTotalBytes: Int { locked { $0.peakTotalBytes } }

    /// The number of entries.
    public var count: Int { locked { $0.table.count } }

    /// Hits, misses, inserts and removals since the cache was created.
    public var statistics: MemoryCacheStatistics { locked { $0.statistics } }

    @inlinable
    func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.locked(in: self) { body(&$0) }
    }

    /// Calls `onEviction` for every entry that one call removed.
    ///
    /// - Parameter key: The inserted key, which is also the key of a replaced value; nil when nothing was inserted.
    @inlinable
    func deliver(_ removed: borrowing RemovedEntries, of key: Key? = nil) {
        guard let onEviction else { return }
        if let replaced = removed.replaced, let key { onEviction(Eviction(key, replaced, .replaced)) }
        guard let first = removed.first else { return }
        onEviction(first)
        for eviction in removed.others { onEviction(eviction) }
    }

    /// Entries that were removed under the lock; their events are delivered and their values released after unlocking.
    /// Most calls remove one entry or none.
    @usableFromInline
    struct RemovedEntries: Sendable {
        /// The content that an insertion replaced; its event is delivered first. The key is not stored, because the new
        /// entry has an equal key.
        @usableFromInline var replaced: LRUTable<Key, Value>.Content?
        @usableFromInline var first: Eviction?
        @usableFromInline var others: ContiguousArray<Eviction> = []

        @inlinable
        init() {}

        @inlinable
        mutating func append(_ eviction: Eviction) {
            if first == nil { first = eviction } else { others.append(eviction) }
        }
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var table = LRUTable<Key, Value>()
        @usableFromInline var maxBytes: Int
        @usableFromInline var totalBytes = 0
        @usableFromInline var peakTotalBytes = 0
        @usableFromInline var statistics = MemoryCacheStatistics()

        init(maxBytes: Int) { self.maxBytes = maxBytes }

        /// Adds an entry or replaces its content, and returns its index; 0 when the cost exceeds `maxBytes`.
        @inlinable
        mutating func insert(
            _ key: Key, _ content: LRUTable<Key, Value>.Content, hash: UInt64, maxCount: Int,
            removed: inout RemovedEntries
        ) -> Int {
            let old = table.find(key, hash: hash)
            guard content.cost <= maxBytes else {
                if old != 0 { remove(old, .oversize, &removed) }
                statistics.refusals &+= 1
                return 0
            }
            let number: Int
            if old != 0 {
                // The old cost is subtracted before the eviction, and the new cost is added after it. This entry is now
                // the newest and is not evicted: without the other entries `totalBytes` is 0.
                let replaced = table.replaceAsNewest(old, by: content)
                totalBytes -= replaced.cost
                statistics.evictions[.replaced] &+= 1
                removed.replaced = replaced
                evict(downTo: maxBytes - content.cost, .capacity, &removed)
                number = old
            } else {
                evict(downTo: maxBytes - content.cost, .capacity, &removed)
                if table.count == maxCount { remove(table.oldest, .countLimit, &removed) }
                number = table.append(key, content, hash: hash)
            }
            totalBytes += content.cost
            peakTotalBytes = max(peakTotalBytes, totalBytes)
            statistics.inserts &+= 1
            return number
        }

        @inlinable
        mutating func evict(downTo target: Int, _ reason: EvictionReason, _ removed: inout RemovedEntries) {
            while totalBytes > target { remove(table.oldest, reason, &removed) }
        }

        @inlinable
        mutating func remove(_ number: Int, _ reason: EvictionReason, _ removed: inout RemovedEntries) {
            let (key, content) = table.remove(number)
            totalBytes -= content.cost
            statistics.evictions[reason] &+= 1
            removed.append(Eviction(key, content, reason))
        }
    }
}
