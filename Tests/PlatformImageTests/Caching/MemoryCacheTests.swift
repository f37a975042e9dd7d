import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct MemoryCacheTests {
    private let cache = MemoryCache<String, Int>(maxBytes: 10)

    private func fill(_ cache: MemoryCache<String, Int>, _ costs: [(String, Int)]) {
        for (index, (key, cost)) in costs.enumerated() { cache.insert(index, for: key, cost: cost) }
    }

    /// Empties the cache and returns the events of these evictions, that of the least recently used entry first.
    private func drained(_ cache: MemoryCache<String, Int>, _ events: Locked<[String]>) -> [String] {
        events.update { $0 = [] }
        cache.relieveMemoryPressure(to: 0)
        return events.value
    }

    private func cacheWithEvents(maxBytes: Int, maxCount: Int? = nil) -> (MemoryCache<String, Int>, Locked<[String]>) {
        let events = Locked<[String]>([])
        let cache = MemoryCache<String, Int>(maxBytes: maxBytes, maxCount: maxCount) { eviction in
            events.update { $0.append("\(eviction.key) \(eviction.cost) \(eviction.reason)") }
        }
        return (cache, events)
    }

    @Test func emptyCacheReturnsNilAndCountsAMiss() {
        #expect(cache.totalBytes == 0 && cache.count == 0 && cache.peakTotalBytes == 0 && cache.maxBytes == 10)
        #expect(cache.value(for: "a") == nil && cache.peek("a") == nil && cache.removeValue(for: "a") == nil)
        #expect(cache.statistics.misses == 1)
    }

    /// The limit of 25 MiB is exactly the size of one bitmap of 2560 x 2560 pixels.
    @Test(.requirement("C3")) func bitmapOfExactlyMaxBytesIsStoredAndABitmapWithOneMoreRowIsRefused() {
        let images = MemoryCache<ImageCacheKey, Bitmap>(maxBytes: 25 << 20)
        let key = ImageCacheKey("https://example.org/large.png")
        let exact = Bitmap(width: 2560, height: 2560) { _ in }
        let larger = Bitmap(width: 2560, height: 2561) { _ in }

        #expect(images.insert(exact, for: key, cost: exact.byteCount))
        #expect(images.totalBytes == 26_214_400 && images.count == 1)
        #expect(!images.insert(larger, for: key, cost: larger.byteCount))
        #expect(images.totalBytes == 0 && images.peek(key) == nil)
        #expect(images.peakTotalBytes == 26_214_400)
    }

    @Test(.requirement("C3")) func maxBytesOfZeroStoresNothing() {
        let (cache, events) = cacheWithEvents(maxBytes: 0)

        #expect(!cache.insert(1, for: "a", cost: 1))
        #expect(cache.count == 0 && events.value == [] && cache.statistics.refusals == 1)
    }

    @Test(.requirement("C3")) func costsAndLimitsOutOfRangeTrap() async {
        await #expect(processExitsWith: .failure) { MemoryCache<Int, Int>(maxBytes: 1).insert(1, for: 1, cost: 0) }
        await #expect(processExitsWith: .failure) { _ = MemoryCache<Int, Int>(maxBytes: -1) }
        await #expect(processExitsWith: .failure) { _ = MemoryCache<Int, Int>(maxBytes: 1, maxCount: 0) }
        await #expect(processExitsWith: .failure) { MemoryCache<Int, Int>(maxBytes: 1).maxBytes = -1 }
        await #expect(processExitsWith: .failure) {
            MemoryCache<Int, Int>(maxBytes: 1).relieveMemoryPressure(to: .nan)
        }
    }

    @Test(.requirement("C4")) func oversizeInsertRemovesItsKeyAndKeepsOtherEntries() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 4), ("b", 6)])

        #expect(!cache.insert(9, for: "a", cost: 11))
        #expect(!cache.insert(9, for: "c", cost: .max))

        #expect(cache.totalBytes == 6 && cache.peek("a") == nil && cache.peek("b") == 1)
        #expect(events.value == ["a 4 oversize"])
    }

    @Test(.requirement("C5")) func replacingWithAnEqualOrLowerCostEvictsNoOtherEntry() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 4), ("b", 6), ("b", 6), ("a", 3)])

        #expect(cache.totalBytes == 9)
        #expect(events.value == ["b 6 replaced", "a 4 replaced"])
    }

    /// The new value counts as most recently used, so only other entries are evicted for it.
    @Test(.requirement("C5", "C7")) func replacingWithAHigherCostEvictsLeastRecentlyUsedEntries() {
        let (cache, events) = cacheWithEvents(maxBytes: 10, maxCount: 3)
        fill(cache, [("a", 3), ("b", 3), ("c", 4), ("a", 5)])
        #expect(events.value == ["a 3 replaced", "b 3 capacity"])

        cache.insert(9, for: "a", cost: 10)

        #expect(cache.totalBytes == 10 && cache.count == 1 && cache.peek("a") == 9)
        #expect(events.value.dropFirst(2) == ["a 5 replaced", "c 4 capacity"])
    }

    @Test func replacingAValueMakesItsKeyMostRecentlyUsedAndClearsTheExpiry() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        cache.insert(1, for: "a", cost: 1, expiry: .now)
        fill(cache, [("b", 2), ("c", 3), ("a", 4)])

        cache.removeExpired(now: .now + .seconds(1))

        #expect(events.value == ["a 1 replaced"])
        #expect(drained(cache, events) == ["b 2 pressure", "c 3 pressure", "a 4 pressure"])
    }

    @Test(.requirement("C10")) func lookupsDoNotChangeTotalBytes() {
        fill(cache, [("a", 3), ("b", 3)])

        for key in ["a", "b", "x", "a"] {
            _ = cache.value(for: key)
            _ = cache.peek(key)
            #expect(cache.totalBytes == 6 && cache.count == 2)
        }
    }

    @Test(.requirement("C6", "O86")) func insertEvictsAsFewLeastRecentlyUsedEntriesAsNeeded() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 3), ("b", 3), ("c", 2), ("d", 2)])
        _ = cache.value(for: "a")
        _ = cache.peek("b")

        cache.insert(9, for: "e", cost: 4)

        #expect(events.value == ["b 3 capacity", "c 2 capacity"])
        #expect(drained(cache, events) == ["d 2 pressure", "a 3 pressure", "e 4 pressure"])
    }

    @Test func exceedingMaxCountEvictsTheLeastRecentlyUsedEntry() {
        let (cache, events) = cacheWithEvents(maxBytes: 10, maxCount: 2)
        fill(cache, [("a", 1), ("b", 1), ("b", 2), ("c", 1)])

        #expect(cache.maxCount == 2 && cache.count == 2)
        #expect(events.value == ["b 1 replaced", "a 1 countLimit"])
    }

    @Test(.requirement("C8")) func loweringMaxBytesEvictsEntriesImmediately() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 3), ("b", 3), ("c", 4)])

        cache.maxBytes = 7
        #expect(cache.totalBytes == 7 && events.value == ["a 3 capacity"])
        cache.maxBytes = 100
        #expect(cache.totalBytes == 7 && events.value.count == 1 && cache.peakTotalBytes == 10)
        cache.maxBytes = 0
        #expect(cache.totalBytes == 0 && cache.count == 0)
    }

    @Test(.requirement("C9")) func removingAnEntryTwiceLowersTotalBytesOnce() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 3), ("b", 3), ("c", 4)])

        #expect(cache.removeValue(for: "b") == 1)
        #expect(cache.removeValue(for: "b") == nil)
        #expect(cache.totalBytes == 7)
        cache.removeAll()
        cache.removeAll()

        #expect(cache.totalBytes == 0 && cache.count == 0)
        #expect(events.value == ["b 3 removed", "a 3 cleared", "c 4 cleared"])
    }

    @Test(.requirement("C11")) func expiredEntriesCountTowardsTotalBytesUntilRemoveExpiredIsCalled() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        let now = ContinuousClock.now
        cache.insert(1, for: "a", cost: 1, expiry: now)
        cache.insert(2, for: "b", cost: 2, expiry: now + .nanoseconds(1))
        cache.insert(3, for: "c", cost: 3)

        #expect(cache.value(for: "a") == 1)
        #expect(cache.totalBytes == 6)
        cache.removeExpired(now: now)
        #expect(cache.totalBytes == 5 && events.value == ["a 1 expired"])
        cache.removeExpired(now: now + .seconds(1))
        #expect(cache.totalBytes == 3 && events.value == ["a 1 expired", "b 2 expired"])
    }

    @Test func relieveMemoryPressureLowersTotalBytesToTheSpecifiedFractionOfMaxBytes() {
        let (cache, events) = cacheWithEvents(maxBytes: 10)
        fill(cache, [("a", 3), ("b", 3), ("c", 4)])

        cache.relieveMemoryPressure(to: 1)
        #expect(cache.totalBytes == 10)
        cache.relieveMemoryPressure(to: 0.7)
        #expect(cache.totalBytes == 7 && events.value == ["a 3 pressure"])
        cache.relieveMemoryPressure(to: 0.69)
        #expect(cache.totalBytes == 4)

        cache.maxBytes = .max
        cache.relieveMemoryPressure(to: 1)
        cache.relieveMemoryPressure(to: (1.0).nextDown)
        #expect(cache.totalBytes == 4)
    }

    @Test(.requirement("C15")) func costsNearIntMaxDoNotOverflow() {
        let (cache, events) = cacheWithEvents(maxBytes: .max)
        cache.insert(1, for: "a", cost: .max)
        cache.insert(2, for: "b", cost: .max)

        #expect(events.value == ["a \(Int.max) capacity"])
        #expect(cache.totalBytes == .max)
    }

    /// The cache has the only references to the values.
    @Test(.requirement("C12")) func evictedReplacedAndRemovedValuesAreReleased() {
        final class Counted: Sendable {
            let alive: Locked<Int>
            init(_ alive: Locked<Int>) {
                self.alive = alive
                alive.update { $0 += 1 }
            }
            deinit { alive.update { $0 -= 1 } }
        }
        let alive = Locked(0)
        var cache: MemoryCache<Int, Counted>? = MemoryCache(maxBytes: 10)

        for key in 0..<100 {
            cache?.insert(Counted(alive), for: key, cost: 3)
            #expect(alive.value == min(key + 1, 3))
        }
        cache?.removeValue(for: 99)
        #expect(alive.value == 2)
        cache?.insert(Counted(alive), for: 98, cost: 3)
        #expect(alive.value == 2)
        cache?.removeAll()
        #expect(alive.value == 0)
        cache?.insert(Counted(alive), for: 1, cost: 1)
        cache = nil
        #expect(alive.value == 0)
    }

    /// Runs in a dedicated process, because other tests allocate bitmaps too.
    @Test(.requirement("C12")) func liveBitmapBytesEqualTotalBytesAfterEvictions() async {
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache<ImageCacheKey, Bitmap>(maxBytes: 100_000)
            for number in 0..<200 {
                let bitmap = Bitmap(width: 10 + number, height: 50) { _ in }
                cache.insert(bitmap, for: ImageCacheKey("\(number % 30)"), cost: bitmap.byteCount)
            }
            precondition(Bitmap.liveBitmapBytes == cache.totalBytes && cache.totalBytes > 0)
            cache.relieveMemoryPressure(to: 0.5)
            precondition(Bitmap.liveBitmapBytes == cache.totalBytes && cache.totalBytes <= 50_000)
            cache.removeAll()
            precondition(Bitmap.liveBitmapBytes == 0)
        }
    }

    @Test(.requirement("C16")) func statisticsCountHitsMissesInsertsRefusalsAndEvictions() {
        fill(cache, [("a", 3), ("b", 3), ("c", 4), ("d", 1)])
        _ = cache.value(for: "b")
        _ = cache.value(for: "a")
        _ = cache.peek("b")
        cache.insert(1, for: "x", cost: 11)

        let statistics = cache.statistics
        #expect(statistics.hits == 1 && statistics.misses == 1)
        #expect(statistics.inserts == 4 && statistics.refusals == 1)
        #expect(statistics.evictions[.capacity] == 1 && statistics.evictions.total == 1)
    }
}
