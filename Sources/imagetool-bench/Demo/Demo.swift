import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Demonstration of the loader with verified results: images from the origin, from memory, from disk and revalidated.
struct Demo {
    /// Wall clock with an adjustable offset, so that expiry needs no waiting.
    private final class Clock: Sendable {
        private let offset = Mutex<Int64>(0)

        var now: WallTime { WallTime.now.adding(milliseconds: offset.locked(in: self) { $0 }) }

        func advance(seconds: Int) { offset.locked(in: self) { $0 += Int64(seconds) * 1_000 } }
    }

    static let memoryLimit = 268_435_456
    static let diskLimit = 67_108_864

    private let images: DemoImages
    private let origin: DemoOrigin
    private let loader: ImageLoader
    private let clock = Clock()
    private(set) var rounds: [DemoRound] = []

    /// - Parameter cacheDirectory: Empty directory; the caller removes it.
    init(_ images: DemoImages, cacheDirectory: String) async throws {
        self.images = images
        origin = try await DemoOrigin(images)
        var configuration = ImageLoader.Configuration()
        configuration.cacheImagesInMemory = true
        configuration.memoryCacheMaxBytes = Self.memoryLimit
        configuration.diskCacheMaxBytes = Self.diskLimit
        configuration.cacheDirectory = cacheDirectory
        configuration.dataDirectory = nil
        configuration.clock = { [clock] in clock.now }
        loader = try ImageLoader(configuration: configuration, transport: CurlTransport())
    }

    /// Runs all rounds.
    ///
    /// - Parameter show: Called after each load with the round and the number of its finished loads.
    mutating func run(_ show: (DemoRound.Kind, Int) throws -> Void) async throws {
        for kind in DemoRound.Kind.allCases {
            switch kind {
            case .network, .memory: break
            case .disk: await loader.purgeMemory()
            case .revalidated: clock.advance(seconds: DemoImages.maxAge + 1)
            }
            rounds.append(try await round(kind) { try show(kind, $0) })
        }
        await loader.flush()
        await origin.stop()
    }

    private func round(_ kind: DemoRound.Kind, _ show: (Int) throws -> Void) async throws -> DemoRound {
        var round = DemoRound(kind)
        let before = origin.counts
        let start = ContinuousClock.now
        let (loader, origin, images) = (loader, origin, images)
        let urlNumbers = Array(images.imageIndices.indices)
        let loads = OrderedConcurrentMap(urlNumbers, width: 64) { number in
            (number, await loader.outcome(of: ImageRequest(url: origin.url(images.path(number)))))
        }
        for await (number, outcome) in loads {
            round.loads += 1
            round.sources[outcome.source, default: 0] += 1
            round.decodedBytes += outcome.image?.bitmap.byteCount ?? 0
            if let error = outcome.error, round.firstError == nil { round.firstError = error.description }
            if outcome.image?.bitmap.hasSamePixels(as: images.image(at: number).bitmap) != true {
                round.mismatchCount += 1
            }
            try show(round.loads)
        }
        round.milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        let after = origin.counts
        round.requests = after.requests - before.requests
        round.bodyBytes = after.bodyBytes - before.bodyBytes
        return round
    }

    /// The rounds as a table, then the contents and limits of the caches.
    var text: String {
        var table = DemoRound.table
        for round in rounds { table.append(round.cells) }
        let (memory, disk) = (loader.memoryStatistics, loader.diskStatistics)
        return table.text + """

            memory  \(memory.count) images, \(memory.bytes) of \(Self.memoryLimit) bytes
            disk    \(disk?.entries ?? 0) files, \(disk?.bytes ?? 0) of \(Self.diskLimit) bytes

            """
    }

    /// Deviations from the expected figures, one sentence each; empty when there are none.
    var deviations: [String] {
        let count = images.imageIndices.count
        var deviations = rounds.flatMap { $0.deviations(urlCount: count, fileBytes: images.fileBytes) }
        let memory = loader.memoryStatistics
        if memory.count != count || memory.bytes != images.pixelBytes {
            deviations.append(
                "memory: \(memory.count) images of \(memory.bytes) bytes, expected \(count) images of "
                    + "\(images.pixelBytes) bytes"
            )
        }
        if memory.peakBytes > Self.memoryLimit {
            deviations.append("memory: \(memory.peakBytes) bytes exceed the limit of \(Self.memoryLimit)")
        }
        let disk = loader.diskStatistics
        if disk?.entries != count { deviations.append("disk: \(disk?.entries ?? 0) files, expected \(count)") }
        if let bytes = disk?.bytes, bytes > Self.diskLimit {
            deviations.append("disk: \(bytes) bytes exceed the limit of \(Self.diskLimit)")
        }
        return deviations
    }
}

/// Origin in this process that serves the images of a demonstration and counts requests and body bytes.
final class DemoOrigin: Sendable {
    struct Counts: Sendable {
        var requests = 0
        var bodyBytes = 0
    }

    /// Counts of requests and body bytes. They are updated before a response is sent, so that a client that has
    /// received the response reads the new counts.
    private final class Counter: Sendable {
        let counts = Mutex(Counts())
    }

    private let origin: LoopbackOrigin
    private let counter: Counter

    init(_ images: DemoImages) async throws {
        let counter = Counter()
        self.counter = counter
        origin = try await LoopbackOrigin { request in
            let response = images.resource(request.target)?.response(to: request) ?? OriginResponse(status: 404)
            counter.counts.locked(in: counter) { counts in
                counts.requests += 1
                counts.bodyBytes += response.body.count
            }
            return .response(response)
        }
    }

    var counts: Counts { counter.counts.locked(in: counter) { $0 } }

    func url(_ path: String) -> String { origin.url(path) }

    func stop() async { await origin.stop() }
}

extension Bitmap {
    /// True when the size and all bytes are equal.
    func hasSamePixels(as other: Bitmap) -> Bool {
        guard width == other.width, height == other.height else { return false }
        return withBytes { mine in
            other.withBytes { others in
                mine.withUnsafeBufferPointer { mine in
                    others.withUnsafeBufferPointer { others in
                        guard let one = mine.baseAddress, let other = others.baseAddress else { return false }
                        return memcmp(one, other, mine.count) == 0
                    }
                }
            }
        }
    }
}
