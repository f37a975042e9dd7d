import Dispatch
import PlatformImage
import PlatformImageBenchmarking
import PlatformImageLoader
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// CPU and wall time of loads by the loader and by its transport alone, measured alternately, and of cache hits.
struct LoadBenchmark {
    /// Microseconds per load.
    struct Cost {
        let cpu: Double
        let wall: Double
    }

    enum Hit: String, CaseIterable {
        case synchronous = "in memory, cachedImage(for:)"
        case asynchronous = "in memory, image(for:)"
        case disk = "on disk, data(for:)"

        /// JSON key.
        var key: String {
            switch self {
            case .synchronous: "memorySynchronous"
            case .asynchronous: "memoryAsynchronous"
            case .disk: "disk"
            }
        }

        fileprivate var operations: Int { self == .synchronous ? 200_000 : self == .asynchronous ? 50_000 : 2_000 }
    }

    /// Ways to download the same bytes, ordered from the full loader down to its transport.
    enum Side: String, CaseIterable {
        case loader = "loader, stored on disk"
        case uncached = "loader without caches"
        /// Lower bound for a loader that stores responses: each body is written to a temporary file and renamed.
        case floor = "transport that writes files"
        case transport = "transport of the loader alone"

        /// JSON key.
        var key: String { "\(self)" }
    }

    private var costs: [Side: [Cost]] = [:]
    /// CPU microseconds per hit, one value per round.
    private(set) var hits: [(name: Hit, microseconds: [Double])] = Hit.allCases.map { ($0, []) }

    /// Costs of a side, one per round.
    func costs(of side: Side) -> [Cost] { costs[side] ?? [] }

    /// CPU time of a side divided by that of the transport alone, one per round.
    func ratios(of side: Side) -> [Double] { zip(costs(of: side), costs(of: .transport)).map { $0.cpu / $1.cpu } }

    /// CPU time of the loader divided by that of the transport alone, median over the rounds.
    var ratio: Double { median(ratios(of: .loader)) ?? .nan }

    /// Measures `rounds` rounds after one warm-up round.
    init(
        origin: String, count: Int, bytes: Int, concurrency: Int, rounds: Int, folder: String
    ) async throws {
        let side = try LoadSide(
            origin: origin, count: count, bytes: bytes, concurrency: concurrency, folder: folder)
        for round in 0...rounds {
            // The two sides whose ratio is reported run directly after each other, in alternating order.
            let order: [Side] = round.isMultiple(of: 2) ? [.loader, .transport] : [.transport, .loader]
            for way in order + Side.allCases.filter({ !order.contains($0) }) {
                let cost = try await side.cost(of: way, round: round)
                if round > 0 { costs[way, default: []].append(cost) }
            }
            for (index, hit) in Hit.allCases.enumerated() {
                let cost = try await side.hit(hit, round: round)
                if round > 0 { hits[index].microseconds.append(cost) }
            }
        }
    }
}

/// Runs the loads of each `LoadBenchmark.Side`, and the cache hits; contains the transport, the loader and their
/// settings.
private struct LoadSide {
    private let transport: CurlTransport
    private let loader: ImageLoader
    private let imageRequest: ImageRequest
    private let origin: String
    private let folder: String
    private let files = DispatchQueue(label: "imagetool.bench.files", attributes: .concurrent)
    private let count: Int
    private let bytes: Int
    private let concurrency: Int

    init(origin: String, count: Int, bytes: Int, concurrency: Int, folder: String) throws {
        (self.origin, self.folder) = (origin, folder)
        (self.count, self.bytes, self.concurrency) = (count, bytes, concurrency)
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = folder + "/images"
        configuration.dataDirectory = folder + "/data"
        configuration.cacheImagesInMemory = true
        configuration.urgentWidth = concurrency
        transport = CurlTransport(proxy: .none, connectionsPerHost: concurrency)
        loader = try ImageLoader(configuration: configuration, transport: transport)
        imageRequest = ImageRequest(url: origin + "/picture.bmp")
    }

    private func url(_ number: Int, _ round: Int) -> String { "\(origin)/\(round)/\(number).bin" }

    func cost(of side: LoadBenchmark.Side, round: Int) async throws -> LoadBenchmark.Cost {
        switch side {
        case .loader: try await load(round: round)
        case .uncached: try await loadUncached(round: round)
        case .transport: try await send(round: round)
        case .floor: try await sendToFiles(round: round)
        }
    }

    /// Measures cold loads. Each response is on disk when its load returns. The entries are counted after the
    /// measurement, because ``ImageLoader/flush()`` recounts the whole directory, including all earlier rounds.
    ///
    /// Entries of earlier rounds are not removed: for five seconds after a removal ext4 searches for an inode that was
    /// not freed recently, and this would dominate the measurement.
    private func load(round: Int) async throws -> LoadBenchmark.Cost {
        let cost = try await each { number in
            try await loader.data(for: DataRequest(url: url(number, round))).bytes.count
        }
        await loader.flush()
        let stored = loader.dataStatistics?.entries ?? 0
        guard stored == count * (round + 1) else {
            throw Failure(.ioError, "io: \(stored) of \(count * (round + 1)) responses are on disk, expected all")
        }
        return cost
    }

    /// Measures loads that bypass the caches.
    private func loadUncached(round: Int) async throws -> LoadBenchmark.Cost {
        try await each { number in
            var request = DataRequest(url: url(number, round))
            request.layers = []
            return try await loader.data(for: request).bytes.count
        }
    }

    /// Measures the HTTP transport alone.
    private func send(round: Int) async throws -> LoadBenchmark.Cost {
        try await each { number in try await body(number, round) { _ in } }
    }

    /// Measures the HTTP transport plus a file per body: create, write, close, rename, on a queue that may block.
    private func sendToFiles(round: Int) async throws -> LoadBenchmark.Cost {
        let folder = "\(folder)/bare-\(round)"
        guard mkdir(folder, 0o700) == 0 else {
            throw Failure(.ioError, "io: cannot create the folder \(folder): \(systemMessage())")
        }
        return try await each { number in
            var bytes: [UInt8] = []
            let count = try await body(number, round) { bytes += $0 }
            let body = bytes
            let isWritten = await withCheckedContinuation { continuation in
                files.async { continuation.resume(returning: Self.write(body, as: "\(folder)/\(number)")) }
            }
            guard isWritten else { throw Failure(.ioError, "io: cannot write a body to \(folder)") }
            return count
        }
    }

    /// Sends a request with the transport; returns the number of bytes of the body.
    private func body(_ number: Int, _ round: Int, _ receive: ([UInt8]) -> Void) async throws -> Int {
        let response = try await transport.send(
            HTTPRequest(url: url(number, round)), trust: TrustSettings(), timeouts: TransportTimeouts())
        var count = 0
        for try await chunk in response.body {
            receive(chunk)
            count += chunk.count
        }
        return count
    }

    private static func write(_ body: [UInt8], as path: String) -> Bool {
        let descriptor = open(path + ".tmp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let isWritten = body.withUnsafeBytes { writeAll($0, to: descriptor) }
        return close(descriptor) == 0 && isWritten && rename(path + ".tmp", path) == 0
    }

    /// Measures `work` for every number in 0..<`count`, `concurrency` at a time.
    private func each(_ work: @escaping @Sendable (Int) async throws -> Int) async throws -> LoadBenchmark.Cost {
        let elapsed = ElapsedSince()
        let next = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask { [count, bytes] in
                    while let number = next.next(below: count) {
                        let byteCount = try await work(number)
                        guard byteCount == bytes else {
                            throw Failure(.ioError, "io: the body has \(byteCount) bytes, expected \(bytes)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return elapsed.cost(of: count)
    }

    /// Measures cache hits; returns CPU microseconds per hit.
    func hit(_ hit: LoadBenchmark.Hit, round: Int) async throws -> Double {
        if hit != .disk {
            guard try await loader.store(bitmapFile(width: 16, height: 16), fields: Self.fresh, for: imageRequest)
            else {
                throw Failure(.ioError, "io: the loader cannot store the image on disk")
            }
        }
        let elapsed = ElapsedSince()
        var done = 0
        for number in 0..<hit.operations {
            switch hit {
            case .synchronous: done += loader.cachedImage(for: imageRequest, layers: .memory)?.source == .memory ? 1 : 0
            case .asynchronous: done += try await loader.image(for: imageRequest).source == .memory ? 1 : 0
            case .disk:
                let data = try await loader.data(for: DataRequest(url: url(number % count, round)))
                done += data.source == .disk ? 1 : 0
            }
        }
        let cost = elapsed.cost(of: hit.operations)
        guard done == hit.operations else {
            throw Failure(
                .software, "internal: \(hit.rawValue): \(done) of \(hit.operations) lookups were hits, expected all")
        }
        return cost.cpu
    }

    private static let fresh: HeaderFields = ["Content-Type": "image/bmp", "Cache-Control": "max-age=86400"]
}

/// Thread-safe sequence of numbers from 0.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next(below end: Int) -> Int? {
        let number = value.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < end ? number : nil
    }
}

/// Start times of a measurement.
private struct ElapsedSince {
    private let cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    private let wall = nanoseconds(CLOCK_MONOTONIC)

    /// CPU and wall time since the start, per operation.
    func cost(of count: Int) -> LoadBenchmark.Cost {
        let (cpu, wall) = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, nanoseconds(CLOCK_MONOTONIC) - wall)
        return LoadBenchmark.Cost(cpu: cpu / 1e3 / Double(count), wall: wall / 1e3 / Double(count))
    }
}
