import PlatformImage
import Testing

/// Decoded images of a program's own files, in memory. Bitmaps and running decodes together are bounded in bytes.
struct BitmapCache: Sendable {
    private let cache: MemoryCache<ImageCacheKey, Bitmap>
    private let queue: DecodeQueue
    private let read: @Sendable (String) throws -> [UInt8]

    /// - Parameter read: Returns the bytes of a file.
    init(maxBytes: Int, budgetBytes: Int, read: @escaping @Sendable (String) throws -> [UInt8]) {
        cache = MemoryCache(maxBytes: maxBytes)
        queue = DecodeQueue(budget: DecodeBudget(maxBytes: budgetBytes))
        self.read = read
    }

    var statistics: MemoryCacheStatistics { cache.statistics }
    var totalBytes: Int { cache.totalBytes }

    /// The image of a file, decoded at most once while it is in the cache.
    ///
    /// - Parameter options: Images of one file with different options have different keys.
    func image(_ name: String, options: DecodeOptions = DecodeOptions()) async throws -> Bitmap {
        let key = ImageCacheKey(name, variant: options.cacheVariant)
        if let bitmap = cache.value(for: key) { return bitmap }
        // `finish` inserts the bitmap before the memory of its decode is released from the budget.
        return try await queue.decode(try read(name), with: ImageDecoder(options: options)) { [cache] image in
            cache.insert(image.bitmap, for: key, cost: image.bitmap.byteCount)
            return image.bitmap
        }
    }

    /// Evicts the least recently used images until at most half of the limit is in use; for a memory warning.
    func relieve() { cache.relieveMemoryPressure(to: 0.5) }
}

extension RecipeTests {
    @Test func cacheOfBitmapsStaysWithinItsLimit() async throws {
        let tests = self
        let images = BitmapCache(maxBytes: 1 << 20, budgetBytes: 64 << 20) { try tests.example($0) }

        _ = try await images.image("demo/logo.png")  // 409,600 bytes
        _ = try await images.image("demo/logo.png")
        #expect(images.statistics.hits == 1 && images.totalBytes == 320 * 320 * 4)

        _ = try await images.image("demo/display-p3.png")  // 588,800 bytes
        #expect(images.totalBytes == 320 * 320 * 4 + 460 * 320 * 4)
        _ = try await images.image("demo/invader-rle4.bmp")  // evicts the logo
        #expect(images.statistics.evictions.total == 1)
        #expect(images.totalBytes == 460 * 320 * 4 + 192 * 192 * 4)

        images.relieve()
        #expect(images.totalBytes == 192 * 192 * 4)
    }
}
