public import Synchronization

/// Values by key under a limit of bytes that is never exceeded, whatever the caller does and from whatever threads.
///
/// At every instant ``totalBytes`` is the sum of the costs of the entries and at most ``maxBytes``: room is made before
/// a newcomer is stored. Who leaves is strictly the least recently used. Every call takes one lock for a short time;
/// keys are hashed, values released and events delivered outside it.
///
/// Entries that are here when the cache itself goes away leave without an event.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The departure of one entry.
    public struct Eviction: Sendable {
        /// Of the entry that left.
        public let key: Key
        /// Of the entry that left; released with this event, unless somebody keeps it.
        public let value: Value
        /// In bytes, as given to `insert`.
        public let cost: Int
        /// Why it left.
        public let reason: EvictionReason

        @inlinable
        init(_ key: Key, _ content: LRUList<Key, Value>.Content, _ reason: EvictionReason) {
            self.key = key
            value = content.value
            cost = content.cost
            self.reason = reason
        }
    }

    /// Entries there may be at once, at least 1; nil for no such limit.
    public let maxCount: Int?
    @usableFromInline let onEviction: (@Sendable (Eviction) -> Void)?
    @usableFromInline let state: Mutex<State>

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: What the costs of all entries may sum up to, 0 or more; 0 stores nothing.
    ///   - maxCount: Entries there may be at once, at least 1; nil for no such limit.
    ///   - onEviction: Is called exactly once for every entry that leaves, on the thread whose call made it leave,
    ///     before that call returns. No lock is held: it may use the cache. Events of one call come in the order of
    ///     departure; calls on different threads may overlap.
    public init(maxBytes: Int, maxCount: Int? = nil, onEviction: (@Sendable (Eviction) -> Void)? = nil) {
        precondition(maxBytes >= 0, "a cache has a limit of 0 bytes or more")
        precondition(maxCount ?? 1 >= 1, "a cache has room for at least 1 entry")
        self.maxCount = maxCount
        self.onEviction = onEviction
        state = Mutex(State(maxBytes: maxBytes))
    }

    /// The value for `key`, which becomes the most recently used; nil when there is none.
    ///
    /// No clock is read: an entry whose time is over is found until ``removeExpired(now:)`` takes it out.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = LRUList<Key, Value>.hash(of: key)
        return locked { state in
            let number = state.list.find(key, hash: hash)
            guard number != 0 else {
                state.statistics.misses &+= 1
                return nil
            }
            state.statistics.hits &+= 1
            state.list.makeNewest(number)
            return state.list.contents[number]?.value
        }
    }

    /// The value for `key`, without making it the most recently used and without counting a hit or a miss.
    @inlinable
    public func peek(_ key: Key) -> Value? {
        let hash = LRUList<Key, Value>.hash(of: key)
        return locked { $0.list.contents[$0.list.find(key, hash: hash)]?.value }
    }

    /// Stores a value as the most recently used, after the least recently used ones have left until it fits.
    ///
    /// An older value of `key` leaves first, so replacing it by one of the same or a lower cost makes nobody else
    /// leave.
    ///
    /// - Parameters:
    ///   - value: What to keep.
    ///   - key: What it is found by.
    ///   - cost: Size in bytes, at least 1; less is a caller's error and traps.
    /// - Returns: `false` when `cost` alone is over ``maxBytes``: `key` then holds nothing, and no other entry leaves.
    @inlinable
    @discardableResult
    public func insert(_ value: Value, for key: Key, cost: Int) -> Bool {
        precondition(cost >= 1, "an entry costs at least 1 byte")
        let hash = LRUList<Key, Value>.hash(of: key)
        let content = LRUList<Key, Value>.Content(value: value, cost: cost, expires: false)
        var departures = Departures()
        let number = locked {
            $0.insert(key, content, hash: hash, maxCount: maxCount ?? .max, departures: &departures)
        }
        deliver(departures, of: key)
        return number != 0
    }

    /// Stores a value as the other `insert` does, to be taken out by ``removeExpired(now:)`` from `expiry` on.
    @discardableResult
    public func insert(_ value: Value, for key: Key, cost: Int, expiry: ContinuousClock.Instant) -> Bool {
        precondition(cost >= 1, "an entry costs at least 1 byte")
        let hash = LRUList<Key, Value>.hash(of: key)
        let content = LRUList<Key, Value>.Content(value: value, cost: cost, expires: true)
        var departures = Departures()
        let number = locked { state in
            let number = state.insert(key, content, hash: hash, maxCount: maxCount ?? .max, departures: &departures)
            if number != 0 { state.list.expiries[number] = expiry }
            return number
        }
        deliver(departures, of: key)
        return number != 0
    }

    /// Takes the entry of `key` out.
    ///
    /// - Returns: Its value; nil when there was none.
    @inlinable
    @discardableResult
    public func removeValue(for key: Key) -> Value? {
        let hash = LRUList<Key, Value>.hash(of: key)
        var departures = Departures()
        locked { state in
            let number = state.list.find(key, hash: hash)
            if number != 0 { state.remove(number, .removed, &departures) }
        }
        deliver(departures)
        return departures.first?.value
    }

    /// Takes all entries out.
    public func removeAll() {
        // The list as a whole changes hands under the lock, so the time it is held does not depend on the number.
        let removed = locked { state in
            var list = LRUList<Key, Value>()
            swap(&list, &state.list)
            state.totalBytes = 0
            state.statistics.evictions[.cleared] += list.count
            return list
        }
        guard let onEviction else { return }
        var number = removed.oldest
        while let key = removed.keys[number], let content = removed.contents[number] {
            onEviction(Eviction(key, content, .cleared))
            number = removed.newer(than: number)
        }
    }

    /// Takes out the entries whose expiry is `now` or earlier, the least recently used first.
    ///
    /// Looks at every entry under the lock, unless none has an expiry.
    public func removeExpired(now: ContinuousClock.Instant) {
        var departures = Departures()
        locked { state in
            guard !state.list.expiries.isEmpty else { return }
            var number = state.list.oldest
            while number != 0 {
                let next = state.list.newer(than: number)
                if let expiry = state.list.expiries[number], expiry <= now {
                    state.remove(number, .expired, &departures)
                }
                number = next
            }
        }
        deliver(departures)
    }

    /// Evicts the least recently used entries until the rest is at most `fraction` of ``maxBytes``.
    ///
    /// - Parameter fraction: 0...1; 0 empties the cache, anything else outside is a caller's error and traps.
    public func relieveMemoryPressure(to fraction: Double) {
        precondition(fraction >= 0 && fraction <= 1, "a fraction is 0...1")
        var departures = Departures()
        locked { state in
            let target = fraction == 1 ? state.maxBytes : Int(Double(state.maxBytes) * fraction)
            state.evict(downTo: target, .pressure, &departures)
        }
        deliver(departures)
    }

    /// What the costs of all entries may sum up to, in bytes, 0 or more.
    ///
    /// Lowering it evicts the least recently used entries before it returns; raising it changes nothing else.
    public var maxBytes: Int {
        get { locked { $0.maxBytes } }
        set {
            precondition(newValue >= 0, "a cache has a limit of 0 bytes or more")
            var departures = Departures()
            locked { state in
                state.maxBytes = newValue
                state.evict(downTo: newValue, .capacity, &departures)
            }
            deliver(departures)
        }
    }

    /// The sum of the costs of all entries, in bytes.
    public var totalBytes: Int { locked { $0.totalBytes } }

    /// The highest ``totalBytes`` there ever was.
    public var peakTotalBytes: Int { locked { $0.peakTotalBytes } }

    /// The number of entries.
    public var count: Int { locked { $0.list.count } }

    /// Hits, misses, inserts and departures so far.
    public var statistics: MemoryCacheStatistics { locked { $0.statistics } }

    @inlinable
    func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.locked(in: self) { body(&$0) }
    }

    /// Tells about what left; `key` is the one that was inserted, for a value that it replaced.
    @inlinable
    func deliver(_ departures: borrowing Departures, of key: Key? = nil) {
        guard let onEviction else { return }
        if let replaced = departures.replaced, let key { onEviction(Eviction(key, replaced, .replaced)) }
        guard let first = departures.first else { return }
        onEviction(first)
        for eviction in departures.rest { onEviction(eviction) }
    }

    /// What left under the lock, to be told about and released after it. Most calls make one entry leave or none.
    @usableFromInline
    struct Departures: Sendable {
        /// Left before all others. Its key stays: the newcomer has an equal one.
        @usableFromInline var replaced: LRUList<Key, Value>.Content?
        @usableFromInline var first: Eviction?
        @usableFromInline var rest: ContiguousArray<Eviction> = []

        @inlinable
        init() {}

        @inlinable
        mutating func append(_ eviction: Eviction) {
            if first == nil { first = eviction } else { rest.append(eviction) }
        }
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var list = LRUList<Key, Value>()
        @usableFromInline var maxBytes: Int
        @usableFromInline var totalBytes = 0
        @usableFromInline var peakTotalBytes = 0
        @usableFromInline var statistics = MemoryCacheStatistics()

        init(maxBytes: Int) { self.maxBytes = maxBytes }

        /// Returns the number of the entry, 0 when it does not fit at all.
        @inlinable
        mutating func insert(
            _ key: Key, _ content: LRUList<Key, Value>.Content, hash: UInt64, maxCount: Int,
            departures: inout Departures
        ) -> Int {
            let old = list.find(key, hash: hash)
            guard content.cost <= maxBytes else {
                if old != 0 { remove(old, .oversize, &departures) }
                statistics.refusals &+= 1
                return 0
            }
            let number: Int
            if old != 0 {
                // The old cost goes first and the new one comes last: what leaves between is older than this entry, and
                // when no other is left the sum is 0.
                let replaced = list.replaceAsNewest(old, by: content)
                totalBytes -= replaced.cost
                statistics.evictions[.replaced] &+= 1
                departures.replaced = replaced
                evict(downTo: maxBytes - content.cost, .capacity, &departures)
                number = old
            } else {
                evict(downTo: maxBytes - content.cost, .capacity, &departures)
                if list.count == maxCount { remove(list.oldest, .countLimit, &departures) }
                number = list.append(key, content, hash: hash)
            }
            totalBytes += content.cost
            peakTotalBytes = max(peakTotalBytes, totalBytes)
            statistics.inserts &+= 1
            return number
        }

        @inlinable
        mutating func evict(downTo target: Int, _ reason: EvictionReason, _ departures: inout Departures) {
            while totalBytes > target { remove(list.oldest, reason, &departures) }
        }

        @inlinable
        mutating func remove(_ number: Int, _ reason: EvictionReason, _ departures: inout Departures) {
            let (key, content) = list.remove(number)
            totalBytes -= content.cost
            statistics.evictions[reason] &+= 1
            departures.append(Eviction(key, content, reason))
        }
    }
}
