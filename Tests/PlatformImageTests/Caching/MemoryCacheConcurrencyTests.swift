import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Synchronization
import Testing

@Suite(.requirement("C14")) struct MemoryCacheConcurrencyTests {
    /// Counters shared by all threads. Atomics, because ThreadSanitizer reports false races for a contended `Mutex`.
    private final class Tally: Sendable {
        let inserted = Atomic(0)
        let departed = Atomic(0)
        let lookUps = Atomic(0)
        let tooLarge = Atomic(0)
    }

    /// Runs `body` on `count` threads that start together. `concurrentPerform` would deadlock here: it creates no more
    /// threads than there are cores.
    private func runOnThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let (ready, start, group) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        for number in 0..<count {
            DispatchQueue(label: "thread \(number)").async(group: group) {
                ready.signal()
                start.wait()
                body(number)
            }
        }
        for _ in 0..<count { ready.wait() }
        for _ in 0..<count { start.signal() }
        group.wait()
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    /// Eight threads change the cache and read its totals. At the end, `totalBytes` equals the inserted costs minus the
    /// evicted costs.
    @Test(.requirement("C1", "C2")) func totalBytesAndCountStayWithinLimitsWhileEightThreadsChangeTheCache() {
        let tally = Tally()
        let cache = MemoryCache<Int, Int>(maxBytes: 1_000, maxCount: 60) { eviction in
            tally.departed.add(eviction.cost, ordering: .relaxed)
        }

        runOnThreads(8) { thread in
            for step in 0..<4_000 {
                let key = Int.random(in: 0..<100)
                let cost = Int.random(in: 1...120)
                switch step % 16 {
                case 0..<6:
                    if cache.insert(thread, for: key, cost: cost) { tally.inserted.add(cost, ordering: .relaxed) }
                case 6..<13:
                    _ = cache.value(for: key)
                    tally.lookUps.add(1, ordering: .relaxed)
                case 13: cache.removeValue(for: key)
                case 14: if step % 512 == 14 { cache.removeAll() } else { cache.relieveMemoryPressure(to: 0.9) }
                // `maxBytes` is never set above its first value, so that one bound holds for all samples.
                default: cache.maxBytes = 500 + cost * 4
                }
                if cache.totalBytes > 1_000 || cache.count > 60 { tally.tooLarge.add(1, ordering: .relaxed) }
            }
        }

        let statistics = cache.statistics
        let (inserted, departed) = (tally.inserted.load(ordering: .relaxed), tally.departed.load(ordering: .relaxed))
        #expect(tally.tooLarge.load(ordering: .relaxed) == 0)
        #expect(cache.peakTotalBytes <= 1_000)
        #expect(cache.totalBytes <= cache.maxBytes)
        #expect(inserted - departed == cache.totalBytes)
        #expect(statistics.hits + statistics.misses == tally.lookUps.load(ordering: .relaxed))
        #expect(statistics.inserts - statistics.evictions.total == cache.count)
    }

    @Test(.requirement("C13")) func evictionHandlerIsCalledExactlyOncePerEntry() {
        let left = (0..<8_000).map { _ in Counter() }
        let cache = MemoryCache<Int, Int>(maxBytes: 64) { eviction in
            left[eviction.value].count.add(1, ordering: .relaxed)
        }

        runOnThreads(8) { thread in
            for step in 0..<1_000 {
                cache.insert(thread * 1_000 + step, for: step % 100, cost: 1)
                if step % 3 == 0 { cache.removeValue(for: (step * 7) % 100) }
            }
        }
        cache.removeAll()

        #expect(left.allSatisfy { $0.count.load(ordering: .relaxed) == 1 })
    }

    /// A handler that calls the cache would deadlock if the cache held its lock while it calls the handler.
    @Test func evictionHandlerThatCallsTheCacheDoesNotDeadlock() {
        let box = Locked<MemoryCache<Int, Int>?>(nil)
        let seen = Locked<[Int]>([])
        let cache = MemoryCache<Int, Int>(maxBytes: 2) { eviction in
            let total = box.value?.totalBytes ?? -1
            seen.update { $0 += [eviction.key, total] }
            if eviction.key == 1 { box.value?.insert(0, for: 100, cost: 1) }
        }
        box.update { $0 = cache }

        for key in 1...3 { cache.insert(key, for: key, cost: 1) }

        #expect(seen.value == [1, 2, 2, 2])
        #expect(cache.peek(100) == 0)
        box.update { $0 = nil }
    }

    /// The `deinit` of a value may call the cache, so the last reference to a value must be released outside the lock.
    @Test(.requirement("C12")) func valueThatCallsTheCacheInItsDeinitDoesNotDeadlock() {
        final class Reader: Sendable {
            let cache: Mutex<MemoryCache<Int, Reader>?>
            let totals: Locked<[Int]>
            init(_ cache: MemoryCache<Int, Reader>, _ totals: Locked<[Int]>) {
                self.cache = Mutex(cache)
                self.totals = totals
            }
            deinit {
                let total = cache.withLock { $0?.totalBytes ?? -1 }
                totals.update { $0.append(total) }
            }
        }
        let totals = Locked<[Int]>([])
        let cache = MemoryCache<Int, Reader>(maxBytes: 10)
        func put(_ key: Int, cost: Int) { cache.insert(Reader(cache, totals), for: key, cost: cost) }

        put(1, cost: 4)
        put(1, cost: 5)  // replaced
        put(2, cost: 6)  // evicted
        put(2, cost: 11)  // oversize: releases the old value and the new one
        put(3, cost: 3)
        cache.removeValue(for: 3)
        put(4, cost: 4)
        cache.relieveMemoryPressure(to: 0)
        put(5, cost: 4)
        cache.maxBytes = 3
        cache.insert(Reader(cache, totals), for: 6, cost: 3, expiry: .now)
        cache.removeExpired(now: .now)
        put(7, cost: 2)
        put(8, cost: 1)
        cache.removeAll()

        #expect(totals.value == [5, 6, 0, 0, 0, 0, 0, 0, 0, 0])
    }
}
