import PlatformImage

/// Thousands of images of mixed sizes on their way through a decode queue into a memory cache, and what the process
/// holds meanwhile.
struct MemoryBenchmark: Sendable {
    /// What was seen when so many images had been decoded, in bytes.
    struct Sample: Sendable {
        let images: Int
        let cacheBytes: Int
        /// Of all bitmaps alive, in the cache or not.
        let liveBytes: Int
        let pooledBytes: Int
        /// Above that of the idle process.
        let residentGrowth: Int
    }

    /// Resident bytes before the first decode, inputs included.
    let idleBytes: Int
    private(set) var samples: [Sample] = []
    /// Bytes of all bitmaps that were decoded.
    private(set) var decodedBytes = 0
    /// The highest resident size that the kernel saw, above ``idleBytes``.
    private(set) var peakGrowth = 0
    let cachePeakBytes: Int
    let budgetPeakBytes: Int
    let queueWidth: Int

    /// - Parameters:
    ///   - count: Images, each under a key of its own.
    ///   - cacheBytes: The limit of the cache.
    ///   - budgetBytes: What decodes may hold at once.
    ///   - inFlight: Images that are asked for at the same time.
    init(count: Int, cacheBytes: Int, budgetBytes: Int, inFlight: Int) async throws(DecodeError) {
        let inputs = Self.inputs()
        let cache = MemoryCache<Int, Bitmap>(maxBytes: cacheBytes)
        let queue = DecodeQueue(budget: DecodeBudget(maxBytes: budgetBytes))
        let idle = residentBytes(.current)
        idleBytes = idle
        queueWidth = queue.width
        let decode: @Sendable (Int) async -> Swift.Result<Int, DecodeError> = { number in
            let bytes = inputs[Self.choice(number, of: inputs.count)]
            do throws(DecodeError) {
                return .success(
                    try await queue.decode(bytes) { image in
                        _ = cache.insert(image.bitmap, for: number, cost: image.bitmap.byteCount)
                        return image.bitmap.byteCount
                    })
            } catch {
                return .failure(error)
            }
        }
        (samples, decodedBytes) = try await withTaskGroup(of: Swift.Result<Int, DecodeError>.self) {
            (group) async -> Swift.Result<([Sample], Int), DecodeError> in
            for number in 0..<min(count, inFlight) { group.addTask { await decode(number) } }
            var (samples, done, decoded): ([Sample], Int, Int) = ([], 0, 0)
            for await result in group {
                switch result {
                case .success(let byteCount): decoded += byteCount
                case .failure(let error): return .failure(error)
                }
                done += 1
                if done + inFlight <= count {
                    let next = done + inFlight - 1
                    group.addTask { await decode(next) }
                }
                samples.append(
                    Sample(
                        images: done, cacheBytes: cache.totalBytes, liveBytes: Bitmap.liveBitmapBytes,
                        pooledBytes: Bitmap.pooledBytes, residentGrowth: residentBytes(.current) - idle))
            }
            return .success((samples, decoded))
        }.get()
        peakGrowth = residentBytes(.peak) - idle
        cachePeakBytes = cache.peakTotalBytes
        budgetPeakBytes = queue.budget.peakGrantedBytes
    }

    /// The same order of sizes in each run: the upper bits of multiples of 2^64 by the golden ratio.
    private static func choice(_ number: Int, of count: Int) -> Int {
        Int((UInt64(number) &* 0x9E37_79B9_7F4A_7C15) >> 32) % count
    }

    /// Of 64 pictures 40 are thumbnails, 18 fill a screen and 6 are up to a photograph of 5 megapixels.
    private static func inputs() -> [[UInt8]] {
        (0..<64).map { number in
            switch number {
            case 0..<40: bitmapFile(width: 64 + number * 8, height: 48 + number * 6)
            case 40..<58: bitmapFile(width: 640 + (number - 40) * 40, height: 480 + (number - 40) * 30)
            default: bitmapFile(width: 1_600 + (number - 58) * 192, height: 1_200 + (number - 58) * 144)
            }
        }
    }
}
