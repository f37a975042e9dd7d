import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Compares the cache with a naive model during 3 million operations. The model is an array in order of last use and
/// computes every total from its entries.
@Suite(.requirement("C1", "C2", "C4", "C5", "C8", "C10", "C11", "C13", "C16")) struct MemoryCacheModelTests {
    /// Runs 8 x 130,000 operations of every kind. Compares the internal state after each operation and the public state
    /// after every 8th.
    @Test(arguments: 0..<8)
    func randomOperationsAgreeWithTheModel(_ seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let pair = CachePair(maxBytes: 40, maxCount: seed % 4 == 0 ? 4 : nil)

        for step in 0..<130_000 {
            let operation = Operation.random(using: &random, keys: 7)
            pair.apply(operation)
            if let difference = pair.stateDifference() ?? (step % 8 == 0 ? pair.difference(keys: 7) : nil) {
                Issue.record("seed \(seed), step \(step), \(operation): \(difference)")
                return
            }
        }
    }

    /// Uses many keys, so that the index grows and its probe sequences get long. Compares the states every 64
    /// operations.
    @Test func randomOperationsOn500KeysAgreeWithTheModel() {
        var random = SplitMix(seed: 99)
        let pair = CachePair(maxBytes: 3_000, maxCount: nil)

        for step in 0..<20_000 {
            pair.apply(Operation.random(using: &random, keys: 500))
            if step % 64 == 0, let difference = pair.difference(keys: 500) {
                Issue.record("step \(step): \(difference)")
                return
            }
        }
    }

    /// Every sequence of six inserts, lookups and removals, over three keys and the costs 1, 2 and 5 under a limit of
    /// 5.
    ///
    /// The three keys have one hash and are interchangeable. It is therefore sufficient to run the sequences whose
    /// first uses of the keys are in the order 0, 1, 2.
    @Test(.requirement("C6", "C7", "C9"), arguments: 0..<5)
    func everySequenceOfSixOperationsAgreesWithTheModel(_ first: Int) {
        runEverySequence(of: 6, kinds: [.insert(1), .insert(2), .insert(5), .get, .remove], first: first)
    }

    /// Every sequence of five operations on the keys and with the limit of the previous test; an insert with a cost of
    /// 6 exceeds the limit of 5.
    @Test(.requirement("C6", "C7", "C9"), arguments: 0..<4)
    func everySequenceOfFiveOperationsWithOversizeInsertsAgreesWithTheModel(_ first: Int) {
        runEverySequence(of: 5, kinds: [.insert(2), .insert(5), .insert(6), .get], first: first)
    }

    private enum Kind {
        case insert(Int), get, remove

        func operation(_ key: Int, step: Int) -> Operation {
            switch self {
            case .insert(let cost): .insert(key, value: step, cost: cost, expiry: nil)
            case .get: .get(key)
            case .remove: .remove(key)
            }
        }
    }

    /// Runs the sequences in depth-first order. Before each continuation of a prefix, the cache and the model are
    /// restored to their states after that prefix.
    private func runEverySequence(of length: Int, kinds: [Kind], first: Int) {
        let pair = CachePair(maxBytes: 5, maxCount: nil)
        var sequence: [Operation] = []
        var isFine = true

        func extend(used: Int) {
            let (state, model) = (pair.state, pair.model)
            for key in 0..<min(3, used + 1) {
                for kind in sequence.isEmpty ? [kinds[first]] : kinds where isFine {
                    sequence.append(kind.operation(key, step: sequence.count))
                    pair.restore(state, model)
                    pair.apply(sequence[sequence.count - 1])
                    if let difference = pair.stateDifference() {
                        Issue.record("\(sequence): \(difference)")
                        isFine = false
                    }
                    if sequence.count < length { extend(used: max(used, key + 1)) }
                    sequence.removeLast()
                }
            }
        }

        extend(used: 0)
    }
}

/// The keys 0 to 3 have one hash value; above 3, each even key has the hash value of the next odd key.
private struct Key: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) { hasher.combine(id < 4 ? 0 : id / 2) }
}

extension SplitMix {
    /// A random number in 0..<bound; the small bias is not significant here.
    fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

private enum Operation {
    case insert(Int, value: Int, cost: Int, expiry: Int?)
    case get(Int), remove(Int), removeAll, maxBytes(Int), expire(Int)
    /// Calls `relieveMemoryPressure(to:)` with this many quarters of the limit, 4 at most.
    case pressure(Int)

    static func random(using random: inout SplitMix, keys: Int) -> Self {
        let key = random.below(keys)
        switch random.below(100) {
        case 0..<45:
            let cost = random.below(20) == 0 ? 30 + random.below(20) : 1 + random.below(16)
            let expiry = random.below(3) == 0 ? random.below(100) : nil
            return .insert(key, value: random.below(1 << 30), cost: cost, expiry: expiry)
        case 45..<85: return .get(key)
        case 85..<93: return .remove(key)
        case 93: return .removeAll
        case 94..<97: return .maxBytes([0, 7, 25, 40, 40, 40 * keys].randomElement(using: &random) ?? 40)
        case 97: return .expire(random.below(100))
        default: return .pressure(random.below(5))
        }
    }
}

private struct CacheModel {
    struct Entry {
        var key: Int
        var value: Int
        var cost: Int
        var expiry: Int?
    }

    /// Entries in order of use, the least recently used first.
    var entries: [Entry] = []
    var maxBytes: Int
    var maxCount: Int?
    var peak = 0
    var hits = 0
    var misses = 0
    var inserts = 0
    var refusals = 0
    /// Number of evictions, indexed by the raw value of their reason.
    var departed = ContiguousArray(repeating: 0, count: EvictionReason.allCases.count)
    /// Events of the last operation.
    var events: [Event] = []
    var result: Int?

    init(maxBytes: Int, maxCount: Int?) {
        self.maxBytes = maxBytes
        self.maxCount = maxCount
    }

    var totalBytes: Int {
        var sum = 0
        for entry in entries { sum += entry.cost }
        return sum
    }

    func index(of key: Int) -> Int? { entries.firstIndex { $0.key == key } }

    mutating func evict(_ index: Int, _ reason: EvictionReason) {
        let entry = entries.remove(at: index)
        departed[reason.rawValue] += 1
        events.append(Event(key: entry.key, value: entry.value, cost: entry.cost, reason: reason))
    }

    mutating func apply(_ operation: Operation) {
        if !events.isEmpty { events = [] }
        result = nil
        switch operation {
        case .insert(let key, let value, let cost, let expiry):
            let fits = cost <= maxBytes
            if let index = index(of: key) { evict(index, fits ? .replaced : .oversize) }
            result = fits ? 1 : 0
            guard fits else {
                refusals += 1
                return
            }
            while totalBytes + cost > maxBytes { evict(0, .capacity) }
            if entries.count == maxCount { evict(0, .countLimit) }
            entries.append(Entry(key: key, value: value, cost: cost, expiry: expiry))
            inserts += 1
        case .get(let key):
            if let index = index(of: key) {
                hits += 1
                result = entries[index].value
                entries.append(entries.remove(at: index))
            } else {
                misses += 1
            }
        case .remove(let key):
            if let index = index(of: key) {
                result = entries[index].value
                evict(index, .removed)
            }
        case .removeAll:
            while !entries.isEmpty { evict(0, .cleared) }
        case .maxBytes(let limit):
            maxBytes = limit
            while totalBytes > limit { evict(0, .capacity) }
        case .expire(let now):
            for entry in entries {
                if let expiry = entry.expiry, expiry <= now, let index = index(of: entry.key) {
                    evict(index, .expired)
                }
            }
        case .pressure(let quarters):
            while totalBytes > maxBytes * min(4, quarters) / 4 { evict(0, .pressure) }
        }
        peak = max(peak, totalBytes)
    }
}

private struct Event: Equatable, Sendable {
    var key: Int
    var value: Int
    var cost: Int
    var reason: EvictionReason
}

private final class CachePair {
    let cache: MemoryCache<Key, Int>
    let events = Locked<[Event]>([])
    var model: CacheModel
    var result: Int?
    private let start = ContinuousClock.now

    init(maxBytes: Int, maxCount: Int?) {
        let events = events
        cache = MemoryCache(maxBytes: maxBytes, maxCount: maxCount) { eviction in
            let event = Event(
                key: eviction.key.id, value: eviction.value, cost: eviction.cost, reason: eviction.reason)
            events.update { $0.append(event) }
        }
        model = CacheModel(maxBytes: maxBytes, maxCount: maxCount)
    }

    func apply(_ operation: Operation) {
        events.update { $0.removeAll(keepingCapacity: true) }
        applyToCache(operation)
        model.apply(operation)
    }

    func applyToCache(_ operation: Operation) {
        result = nil
        switch operation {
        case .insert(let key, let value, let cost, let expiry):
            let key = Key(id: key)
            let isStored =
                if let expiry {
                    cache.insert(value, for: key, cost: cost, expiry: start.advanced(by: .seconds(expiry)))
                } else {
                    cache.insert(value, for: key, cost: cost)
                }
            result = isStored ? 1 : 0
        case .get(let key): result = cache.value(for: Key(id: key))
        case .remove(let key): result = cache.removeValue(for: Key(id: key))
        case .removeAll: cache.removeAll()
        case .maxBytes(let limit): cache.maxBytes = limit
        case .expire(let now): cache.removeExpired(now: start.advanced(by: .seconds(now)))
        case .pressure(let quarters): cache.relieveMemoryPressure(to: Double(min(4, quarters)) / 4)
        }
    }

    /// The first difference from the model; nil if there is none. Reads the cache without changing the order of use. C1
    /// to C16 are the invariants of the article Memory.
    func difference(keys: Int) -> String? {
        if result != model.result { return "result \(result as Int?), not \(model.result as Int?)" }
        let reported = events.value
        if reported != model.events { return "events \(reported), not \(model.events)" }  // C6, C7, C13
        let total = model.totalBytes
        if cache.totalBytes != total { return "\(cache.totalBytes) bytes, not \(total)" }  // C1, C10
        if total > cache.maxBytes || cache.maxBytes != model.maxBytes { return "limit \(cache.maxBytes)" }  // C2
        if cache.count != model.entries.count { return "\(cache.count) entries, not \(model.entries.count)" }
        if cache.peakTotalBytes != model.peak { return "peak \(cache.peakTotalBytes), not \(model.peak)" }
        let statistics = cache.statistics
        if statistics.hits != model.hits || statistics.misses != model.misses || statistics.inserts != model.inserts
            || statistics.refusals != model.refusals
        {
            return "\(statistics)"  // C16
        }
        if statistics.evictions.counts != model.departed {
            return "departures by reason \(statistics.evictions.counts), not \(model.departed)"
        }
        var found = 0
        for entry in model.entries {
            if cache.peek(Key(id: entry.key)) != entry.value { return "another value for \(entry.key)" }
            found += 1
        }
        if found < keys {
            for key in 0..<keys where cache.peek(Key(id: key)) != nil && model.index(of: key) == nil {
                return "\(key) is still there"
            }
        }
        return nil
    }

    /// The state of the cache for ``restore(_:_:)``.
    var state: MemoryCache<Key, Int>.State { cache.locked { $0 } }

    func restore(_ state: MemoryCache<Key, Int>.State, _ model: CacheModel) {
        cache.locked { $0 = state }
        self.model = model
    }

    /// As ``difference(keys:)``, but compares the internal state, which includes the order of the entries.
    func stateDifference() -> String? {
        let state = state
        if result != model.result { return "result \(result as Int?), not \(model.result as Int?)" }
        let reported = events.value
        if reported != model.events { return "events \(reported), not \(model.events)" }
        let statistics = state.statistics
        if state.totalBytes != model.totalBytes || state.totalBytes > state.maxBytes
            || state.peakTotalBytes != model.peak || statistics.hits != model.hits
            || statistics.misses != model.misses || statistics.inserts != model.inserts
            || statistics.refusals != model.refusals || statistics.evictions.counts != model.departed
        {
            return "\(state.totalBytes) bytes, peak \(state.peakTotalBytes), \(statistics)"
        }
        var number = state.table.oldest
        for entry in model.entries {
            guard number != 0, state.table.keys[number]?.id == entry.key,
                state.table.contents[number]?.cost == entry.cost, cache.peek(Key(id: entry.key)) == entry.value
            else { return "another order than \(model.entries)" }
            number = state.table.newer(than: number)
        }
        if number != 0 || state.table.count != model.entries.count { return "more entries than \(model.entries)" }
        return nil
    }
}
