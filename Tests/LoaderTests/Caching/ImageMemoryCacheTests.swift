import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// The images of one URL are removed together, with all their decoded variants.
@Suite struct ImageMemoryCacheTests {
    private static func image(_ key: CacheKey) -> ImageMemoryCache.CachedImage {
        ImageMemoryCache.CachedImage(
            entry: CacheEntry(key: key), content: LoadContent(bytes: [1, 2, 3, 4]), revision: nil, ticket: nil)
    }

    private func key(_ number: Int) -> CacheKey { diskKey("\(number)") }

    /// Compares random inserts, removals and purges with a model that has a set of variants for each URL. Each insert
    /// belongs to a load that may have begun before a removal.
    @Test(.requirement("O53", "O56")) func randomCacheOperationsMatchAModelWithASetOfVariantsForEachURL() {
        var random = SplitMix(seed: 7)
        for round in 0..<40 {
            let memory = ImageMemoryCache(maxBytes: 1 << 20, maxCount: nil)
            var model: [Int: Set<Int>] = [:]
            // The step in which each URL was last removed.
            var removed: [Int: Int] = [:]
            var begun: [(step: Int, generation: UInt64)] = []
            for step in 0..<400 {
                let address = Int.random(in: 0..<6, using: &random)
                let variant = Int.random(in: 0..<4, using: &random)
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<2:
                    let count = model.values.reduce(0) { $0 + $1.count }
                    #expect(memory.purge() == RemovalReport(count: count, bytes: count * 4))
                    model = [:]
                    for address in 0..<6 { removed[address] = step }
                case 2..<20:
                    memory.remove(key(address))
                    model[address] = nil
                    removed[address] = step
                case 20..<40:
                    begun.append((step, memory.generation))
                default:
                    let load = begun.randomElement(using: &random) ?? (step, memory.generation)
                    let isKept = memory.insert(
                        Self.image(key(address)), for: ImageCacheKey(key(address), variant: "\(variant)"),
                        since: load.generation)
                    let wasRemoved = removed[address].map { $0 > load.step } ?? false
                    #expect(isKept == !wasRemoved, "\(round) \(step)")
                    if isKept { model[address, default: []].insert(variant) }
                }
                #expect(memory.cache.count == model.values.reduce(0) { $0 + $1.count })
            }
            for address in 0..<6 {
                for variant in 0..<4 {
                    let isThere = memory.cache.peek(ImageCacheKey(key(address), variant: "\(variant)")) != nil
                    #expect(isThere == (model[address]?.contains(variant) == true))
                }
            }
        }
    }

    /// A load that decodes slowly does not replace the image of a newer response.
    @Test func insertOfAnOlderResponseDoesNotReplaceANewerResponse() {
        let memory = ImageMemoryCache(maxBytes: 1 << 20, maxCount: nil)
        let name = ImageCacheKey(key(1), variant: "")
        func insert(_ seconds: Int64, vary: [VaryValue] = [], now: Int64?) -> Bool {
            let time = WallTime(seconds: seconds)
            let response = StoredResponse(
                status: 200, fields: [:], requestTime: time, responseTime: time, createdAt: time, vary: vary)
            let image = ImageMemoryCache.CachedImage(
                entry: CacheEntry(key: key(1), response: response), content: LoadContent(bytes: [1]), revision: nil,
                ticket: nil)
            return memory.insert(
                image, for: name, since: memory.generation, now: now.map { WallTime(seconds: $0) })
        }

        #expect(insert(20, now: 30))
        #expect(!insert(10, now: 30))
        #expect(insert(20, now: 30))
        // The clock was set back, so the response in the cache is dated in the future and is replaced.
        #expect(insert(10, now: 15))
        #expect(insert(20, now: 30))
        // An older response is inserted if its Vary values differ, or if `now` is nil, which disables the comparison of
        // dates.
        #expect(insert(10, vary: [VaryValue(name: "accept", value: nil)], now: 30))
        #expect(insert(5, vary: [VaryValue(name: "accept", value: nil)], now: nil))
    }

    /// The history contains the last 256 removals. It does not show whether an older removal concerned the URL of a
    /// load, so the insert of a load that began before these 256 removals is rejected.
    @Test func insertOfALoadThatBeganMoreThan256RemovalsAgoIsRejected() {
        let memory = ImageMemoryCache(maxBytes: 1 << 20, maxCount: nil)
        let generation = memory.generation
        for number in 0..<256 { memory.remove(key(number)) }
        #expect(memory.insert(Self.image(key(999)), for: ImageCacheKey(key(999), variant: ""), since: generation))
        memory.remove(key(256))
        #expect(!memory.insert(Self.image(key(998)), for: ImageCacheKey(key(998), variant: ""), since: generation))
        #expect(!memory.insert(Self.image(key(0)), for: ImageCacheKey(key(0), variant: ""), since: generation))
        #expect(memory.insert(Self.image(key(0)), for: ImageCacheKey(key(0), variant: ""), since: memory.generation))
    }

    @Test func urlIndexSizeIsAtMostLinearInTheNumberOfCachedImages() {
        let memory = ImageMemoryCache(maxBytes: 40, maxCount: nil)
        for number in 0..<2_000 {
            memory.insert(
                Self.image(key(number)), for: ImageCacheKey(key(number), variant: ""), since: memory.generation)
            #expect(memory.indexedCount <= 2 * memory.cache.count + 64)
        }
        #expect(memory.cache.count == 10)
        // `remove` uses the index, so the cache becomes empty only if the index contains every cached key.
        for number in 0..<2_000 { memory.remove(key(number)) }
        #expect(memory.cache.count == 0)
        #expect(memory.indexedCount == 0)
    }

    /// Eight tasks insert images of one URL while another task removes the images of that URL.
    @Test(.requirement("O56")) func insertsOfLoadsThatBeganBeforeARemovalAreDiscarded() async {
        for _ in 0..<50 {
            let memory = ImageMemoryCache(maxBytes: 1 << 20, maxCount: nil)
            let generation = memory.generation
            await withTaskGroup(of: Void.self) { group in
                for variant in 0..<8 {
                    group.addTask {
                        let key = diskKey("0")
                        memory.insert(
                            Self.image(key), for: ImageCacheKey(key, variant: "\(variant)"), since: generation)
                    }
                }
                group.addTask { memory.remove(diskKey("0")) }
            }
            #expect(memory.cache.count == 0)
        }
    }

    /// Two URLs that are equal as `String` but have different bytes.
    @Test(.requirement("O53")) func urlsEqualAsStringsButDifferentInBytesAreSeparateKeys() {
        let memory = ImageMemoryCache(maxBytes: 1 << 20, maxCount: nil)
        let keys = ["caf\u{E9}", "cafe\u{301}"].map { diskKey($0) }
        for key in keys { memory.insert(Self.image(key), for: ImageCacheKey(key, variant: ""), since: 0) }
        #expect(memory.cache.count == 2)
        memory.remove(keys[0])
        #expect(keys.map { memory.cache.peek(ImageCacheKey($0, variant: "")) != nil } == [false, true])
    }
}
