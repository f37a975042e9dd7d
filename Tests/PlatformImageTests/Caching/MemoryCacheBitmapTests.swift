import PlatformImage
import Testing

/// A cache of bitmaps, whose cost is their size in bytes.
@Suite struct MemoryCacheBitmapTests {
    private let cache = MemoryCache<String, Bitmap>(maxBytes: 100 * 4)

    @Test(arguments: [(1, 1), (3, 2), (10, 10), (1, 100)])
    func bitmapWithoutACostCountsItsBytes(_ width: Int, _ height: Int) {
        let bitmap = Bitmap(width: width, height: height) { _ in }

        #expect(cache.insert(bitmap, for: "a"))

        #expect(cache.totalBytes == bitmap.byteCount)
        #expect(cache.value(for: "a")?.width == width)
    }

    @Test func bitmapOfMoreThanMaxBytesIsRefusedAndRemovesTheFormerOne() {
        cache.insert(Bitmap(width: 2, height: 2) { _ in }, for: "a")
        cache.insert(Bitmap(width: 2, height: 2) { _ in }, for: "b")

        #expect(!cache.insert(Bitmap(width: 101, height: 1) { _ in }, for: "a"))

        #expect(cache["a"] == nil && cache["b"] != nil)
    }

    @Test func bitmapWithAnExpiryIsRemovedAtThatInstant() {
        let now = ContinuousClock.now
        cache.insert(Bitmap(width: 2, height: 2) { _ in }, for: "a", expiry: now)
        cache.insert(Bitmap(width: 2, height: 2) { _ in }, for: "b", expiry: now + .seconds(1))

        cache.removeExpired(now: now)

        #expect(cache["a"] == nil && cache["b"] != nil && cache.totalBytes == 16)
    }

    @Test func subscriptReadsStoresReplacesAndRemoves() {
        #expect(cache["a"] == nil)

        cache["a"] = Bitmap(width: 3, height: 3) { _ in }
        #expect(cache["a"]?.width == 3 && cache.totalBytes == 36)

        cache["a"] = Bitmap(width: 5, height: 5) { _ in }
        #expect(cache["a"]?.width == 5 && cache.totalBytes == 100 && cache.count == 1)

        cache["a"] = nil
        #expect(cache["a"] == nil && cache.totalBytes == 0)
        #expect(cache.statistics.hits == 2 && cache.statistics.misses == 2)
    }

    @Test func subscriptWithABitmapOfMoreThanMaxBytesLeavesNoEntry() {
        cache["a"] = Bitmap(width: 1, height: 1) { _ in }

        cache["a"] = Bitmap(width: 101, height: 1) { _ in }

        #expect(cache["a"] == nil && cache.totalBytes == 0)
    }
}
