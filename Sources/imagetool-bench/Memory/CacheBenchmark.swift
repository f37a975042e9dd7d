import Foundation
import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// Measures the memory cache, the baseline and `NSCache` in turn, with the same keys in the same random order.
struct CacheBenchmark {
    enum Case: String, CaseIterable {
        case hitSameKey = "hit, same key"
        case hitEqualKey = "hit, equal key"
        case hitNewKey = "hit, new key"
        case miss
        case overwrite
        case insertEvict = "insert+evict"
    }

    /// Measurements of one case, one value per measured round.
    struct Row {
        let name: Case
        let threads: Int
        /// CPU nanoseconds per operation of `MemoryCache`.
        var ours: [Double] = []
        var baseline: [Double] = []
        /// CPU nanoseconds per operation of `NSCache`; empty for `hitEqualKey`, for `hitNewKey` and with more than one
        /// thread.
        var nsCache: [Double] = []
        /// Operations per second of wall time, all threads together.
        var oursRate: [Double] = []
        var baselineRate: [Double] = []
        /// CPU time divided by wall time of `MemoryCache`: equal to the number of threads when no thread ever waits for
        /// the lock.
        var oursParallelism: [Double] = []
        var baselineParallelism: [Double] = []

        /// CPU time of `MemoryCache` divided by that of the baseline, median over the rounds; under 1 when
        /// `MemoryCache` is faster.
        var ratio: Double { median(zip(ours, baseline).map { $0 / $1 }) ?? .nan }

        /// Operations per second of `MemoryCache` divided by those of the baseline, median over the rounds; over 1 when
        /// `MemoryCache` is faster.
        var rateRatio: Double { median(zip(oursRate, baselineRate).map { $0 / $1 }) ?? .nan }
    }

    private(set) var rows: [Row] = []

    init(rounds: Int) {
        let load = CacheLoad()
        let nsCacheLoad = NSCacheLoad(load)
        for threads in [1, 2] { for name in Case.allCases { rows.append(Row(name: name, threads: threads)) } }
        for round in 0...rounds {
            for index in rows.indices {
                let (name, threads) = (rows[index].name, rows[index].threads)
                load.fill()
                var elapsed = Elapsed(cpu: 0, wall: 0)
                if round.isMultiple(of: 2) { elapsed = PinnedThreads.time(threads) { load.runOurs(name, thread: $0) } }
                let baselineElapsed = PinnedThreads.time(threads) { load.runBaseline(name, thread: $0) }
                if !round.isMultiple(of: 2) { elapsed = PinnedThreads.time(threads) { load.runOurs(name, thread: $0) } }
                let nsCacheElapsed = threads == 1 ? nsCacheLoad.time(name) : nil
                guard round > 0 else { continue }
                let operations = Double(CacheLoad.operations * threads)
                rows[index].ours.append(elapsed.cpu / operations)
                rows[index].baseline.append(baselineElapsed.cpu / operations)
                rows[index].oursRate.append(operations / elapsed.wall * 1e9)
                rows[index].baselineRate.append(operations / baselineElapsed.wall * 1e9)
                rows[index].oursParallelism.append(elapsed.cpu / elapsed.wall)
                rows[index].baselineParallelism.append(baselineElapsed.cpu / baselineElapsed.wall)
                if let nsCacheElapsed { rows[index].nsCache.append(nsCacheElapsed.cpu / operations) }
            }
        }
    }
}

/// The caches and their keys. Every value has a cost of 1, and the limit is ``entries``.
struct CacheLoad: Sendable {
    static let entries = 4_096
    /// Operations per round and thread; a round lasts far longer than starting two threads.
    static let operations = 1 << 19

    let names: [String]
    /// Random order of the first half of the names. After ``fill()``, the cache contains exactly this half: hits look
    /// up the first half, misses the second half.
    let order: [Int]
    private let ours = MemoryCache<ImageCacheKey, Int>(maxBytes: entries)
    private let baseline = CacheBaseline(maxBytes: entries)
    private let keys: [ImageCacheKey]
    private let equalKeys: [ImageCacheKey]
    private let baselineKeys: [CacheBaseline.Key]
    private let equalBaselineKeys: [CacheBaseline.Key]

    init() {
        names = (0..<Self.entries * 2).map { number in
            "https://images.example.org/v2/photographs/originals/\(1_000_000 + number).png"
        }
        precondition(names.allSatisfy { $0.utf8.count == 63 }, "all keys must have 63 bytes")
        order = (0..<Self.entries).shuffled()
        // Strings that are equal to the names but have separate storage.
        let others = names.map { String(decoding: Array($0.utf8), as: UTF8.self) }
        keys = names.map { ImageCacheKey($0) }
        equalKeys = others.map { ImageCacheKey($0) }
        baselineKeys = names.map { CacheBaseline.Key(url: $0) }
        equalBaselineKeys = others.map { CacheBaseline.Key(url: $0) }
    }

    /// Inserts the first half of the names.
    func fill() {
        for number in order {
            ours.insert(number, for: keys[number], cost: 1)
            baseline.insert(number, for: baselineKeys[number], cost: 1)
        }
    }

    func runOurs(_ name: CacheBenchmark.Case, thread: Int) {
        let start = thread * Self.entries / 2
        var found = 0
        for step in start..<start + Self.operations {
            let number = order[step % Self.entries]
            switch name {
            case .hitSameKey: found += ours.value(for: keys[number]) == number ? 1 : 0
            case .hitEqualKey: found += ours.value(for: equalKeys[number]) == number ? 1 : 0
            case .hitNewKey: found += ours.value(for: ImageCacheKey(names[number])) == number ? 1 : 0
            case .miss: found += ours.value(for: keys[number + Self.entries]) == nil ? 1 : 0
            case .overwrite: found += ours.insert(number, for: keys[number], cost: 1) ? 1 : 0
            case .insertEvict: found += ours.insert(number, for: keys[insertedName(step, number)], cost: 1) ? 1 : 0
            }
        }
        precondition(found == Self.operations, "an operation had an unexpected result")
    }

    func runBaseline(_ name: CacheBenchmark.Case, thread: Int) {
        let start = thread * Self.entries / 2
        var found = 0
        for step in start..<start + Self.operations {
            let number = order[step % Self.entries]
            switch name {
            case .hitSameKey: found += baseline.value(for: baselineKeys[number]) == number ? 1 : 0
            case .hitEqualKey: found += baseline.value(for: equalBaselineKeys[number]) == number ? 1 : 0
            case .hitNewKey: found += baseline.value(for: CacheBaseline.Key(url: names[number])) == number ? 1 : 0
            case .miss: found += baseline.value(for: baselineKeys[number + Self.entries]) == nil ? 1 : 0
            case .overwrite: found += baseline.insert(number, for: baselineKeys[number], cost: 1) ? 1 : 0
            case .insertEvict:
                found += baseline.insert(number, for: baselineKeys[insertedName(step, number)], cost: 1) ? 1 : 0
            }
        }
        precondition(found == Self.operations, "an operation had an unexpected result")
    }

    /// Number of the name to insert: the halves alternate, so the name was evicted before.
    func insertedName(_ step: Int, _ number: Int) -> Int {
        (step / Self.entries).isMultiple(of: 2) ? number + Self.entries : number
    }
}

/// The operations of ``CacheLoad`` on `NSCache`.
private struct NSCacheLoad {
    private let cache = NSCache<NSString, NSNumber>()
    /// Cache with the limit ``CacheLoad/entries``. The eviction order of `NSCache` is undocumented, so the benchmark
    /// only inserts into this cache and looks up nothing.
    private let limited = NSCache<NSString, NSNumber>()
    private let keys: [NSString]
    private let numbers: [NSNumber]
    private let order: [Int]
    private let load: CacheLoad

    init(_ load: CacheLoad) {
        self.load = load
        keys = load.names.map { NSString(string: $0) }
        numbers = (0..<CacheLoad.entries).map { NSNumber(value: $0) }
        order = load.order
        limited.totalCostLimit = CacheLoad.entries
        for number in order {
            cache.setObject(numbers[number], forKey: keys[number], cost: 1)
            limited.setObject(numbers[number], forKey: keys[number], cost: 1)
        }
    }

    func time(_ name: CacheBenchmark.Case) -> Elapsed? {
        guard name != .hitEqualKey, name != .hitNewKey else { return nil }
        return Elapsed.time {
            for step in 0..<CacheLoad.operations {
                let number = order[step % CacheLoad.entries]
                switch name {
                case .hitSameKey: _ = cache.object(forKey: keys[number])
                case .miss: _ = cache.object(forKey: keys[number + CacheLoad.entries])
                case .insertEvict:
                    let insertedName = load.insertedName(step, number)
                    limited.setObject(numbers[number], forKey: keys[insertedName], cost: 1)
                default: cache.setObject(numbers[number], forKey: keys[number], cost: 1)
                }
            }
        }
    }
}
