import PlatformImage

/// Decodes thousands of images of mixed sizes through a decode queue into a memory cache, and samples the memory of the
/// process.
struct MemoryBenchmark: Sendable {
    /// Memory figures after a number of decoded images, in bytes.
    struct Sample: Sendable {
        let images: Int
        let cacheBytes: Int
        /// Bytes of all live bitmaps, cached or not.
        let liveBytes: Int
        let pooledBytes: Int
        /// Growth of resident memory since before the first decode.
        let residentGrowth: Int
    }

    /// Resident memory before the first decode, including the inputs.
    let idleBytes: Int
    private(set) var samples: [Sample] = []
    /// Total bytes of the decoded bitmaps.
    private(set) var decodedBytes = 0
    /// Peak resident memory (`VmHWM`) minus ``idleBytes``.
    private(set) var peakGrowth = 0
    let cachePeakBytes: Int
    let budgetPeakBytes: Int
    let queueWidth: Int

    /// - Parameters:
    ///   - count: Number of images, each with a different cache key.
    ///   - cacheBytes: Limit of the cache in bytes.
    ///   - budgetBytes: Limit for the memory of concurrent decodes in bytes.
    ///   - inFlight: Number of images requested concurrently.
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

    /// Index of the input for an image, equal in every run: upper bits of multiples of 2^64 divided by the golden ratio
    /// (Fibonacci hashing).
    private static func choice(_ number: Int, of count: Int) -> Int {
        Int((UInt64(number) &* 0x9E37_79B9_7F4A_7C15) >> 32) % count
    }

    /// 64 BMP files: 40 of thumbnail size, 18 of screen size and 6 of photograph size, up to 5 megapixels.
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
