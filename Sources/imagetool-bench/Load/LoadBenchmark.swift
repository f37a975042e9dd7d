import CPlatformImageCurlBaseline
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

/// CPU and wall time of loads by the loader and by plain libcurl in C, measured alternately, and of cache hits.
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

    /// Ways to download the same bytes, ordered from the full loader down to the bare client.
    enum Side: String, CaseIterable {
        case loader = "loader, stored on disk"
        case uncached = "loader without caches"
        case transport = "transport of the loader alone"
        /// Lower bound for a loader that stores responses: each body is written to a temporary file and renamed.
        case floor = "libcurl in C that writes files"
        case client = "libcurl in C alone"

        /// JSON key.
        var key: String { "\(self)" }
    }

    private var costs: [Side: [Cost]] = [:]
    /// CPU microseconds per hit, one value per round.
    private(set) var hits: [(name: Hit, microseconds: [Double])] = Hit.allCases.map { ($0, []) }

    /// Costs of a side, one per round.
    func costs(of side: Side) -> [Cost] { costs[side] ?? [] }

    /// CPU time of a side divided by that of the client alone, one per round.
    func ratios(of side: Side) -> [Double] { zip(costs(of: side), costs(of: .client)).map { $0.cpu / $1.cpu } }

    /// CPU time of the transport divided by that of the client alone, median over the rounds.
    var transportRatio: Double { median(ratios(of: .transport)) ?? .nan }
    /// CPU time of the loader divided by that of the client alone, median over the rounds.
    var ratio: Double { median(ratios(of: .loader)) ?? .nan }

    /// Measures `rounds` rounds after one warm-up round.
    ///
    /// - Parameter isTransportOnly: Only ``Side/transport`` and ``Side/client`` are measured.
    init(
        origin: String, count: Int, bytes: Int, concurrency: Int, rounds: Int, folder: String, isTransportOnly: Bool
    ) async throws {
        let side = try LoadSide(
            origin: origin, count: count, bytes: bytes, concurrency: concurrency, folder: folder)
        for round in 0...rounds {
            // The sides whose ratios are reported run directly after each other, in alternating order.
            let order: [Side] =
                round.isMultiple(of: 2) ? [.loader, .client, .transport] : [.transport, .client, .loader]
            for way in order + Side.allCases.filter({ !order.contains($0) }) {
                if isTransportOnly, way != .transport, way != .client { continue }
                let cost = try await side.cost(of: way, round: round)
                if round > 0 { costs[way, default: []].append(cost) }
            }
            if isTransportOnly { continue }
            for (index, hit) in Hit.allCases.enumerated() {
                let cost = try await side.hit(hit, round: round)
                if round > 0 { hits[index].microseconds.append(cost) }
            }
        }
    }
}

/// Runs the loads of each `LoadBenchmark.Side`, and the cache hits; contains the clients, the loader and their
/// settings.
private struct LoadSide {
    private let client: PlainClient
    private let transport: CurlTransport
    private let loader: ImageLoader
    private let imageRequest: ImageRequest
    private let origin: String
    private let folder: String
    private let thread = DispatchQueue(label: "imagetool.bench.client")
    private let count: Int
    private let bytes: Int
    private let concurrency: Int

    init(origin: String, count: Int, bytes: Int, concurrency: Int, folder: String) throws {
        (self.origin, self.folder) = (origin, folder)
        (self.count, self.bytes, self.concurrency) = (count, bytes, concurrency)
        client = try PlainClient(concurrency: concurrency)
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
        case .floor: try await downloadToFiles(round: round)
        case .client: try await download(round: round)
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
        try await each { number in
            let response = try await transport.send(
                HTTPRequest(url: url(number, round)), trust: TrustSettings(), timeouts: TransportTimeouts())
            var bytes = 0
            for try await chunk in response.body { bytes += chunk.count }
            return bytes
        }
    }

    /// Measures plain libcurl.
    private func download(round: Int) async throws -> LoadBenchmark.Cost {
        try await measuring { try client.download("\(origin)/\(round)", count: count, bytes: bytes, folder: nil) }
    }

    /// Measures plain libcurl plus a file per body: create, write, close, rename.
    private func downloadToFiles(round: Int) async throws -> LoadBenchmark.Cost {
        let folder = "\(folder)/bare-\(round)"
        guard mkdir(folder, 0o700) == 0 else {
            throw Failure(.ioError, "io: cannot create the folder \(folder): \(systemMessage())")
        }
        return try await measuring {
            try client.download("\(origin)/\(round)", count: count, bytes: bytes, folder: folder)
        }
    }

    /// Measures blocking work of `count` downloads, on a thread that may block.
    private func measuring(_ work: @escaping @Sendable () throws -> Void) async throws -> LoadBenchmark.Cost {
        let elapsed = ElapsedSince()
        try await withCheckedThrowingContinuation { continuation in
            thread.async { continuation.resume(with: Result(catching: work)) }
        }
        return elapsed.cost(of: count)
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

/// A client over plain libcurl; its calls block.
private final class PlainClient: Sendable {
    /// The address of a `picb_client`, which one thread at a time uses.
    private let client: Mutex<UInt>

    init(concurrency: Int) throws {
        guard let client = picb_client_new(concurrency) else { throw Failure(.software, "internal: out of memory") }
        self.client = Mutex(UInt(bitPattern: client))
    }

    deinit { client.withLock { picb_client_free(OpaquePointer(bitPattern: $0)) } }

    /// Downloads `count` bodies of `bytes` bytes; writes them to files when there is a folder.
    func download(_ base: String, count: Int, bytes: Int, folder: String?) throws {
        var reason = [CChar](repeating: 0, count: Int(PICB_ERROR_BYTES))
        let isComplete = client.withLock { client in
            picb_download(OpaquePointer(bitPattern: client), base, count, bytes, folder, &reason)
        }
        guard isComplete else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw Failure(.ioError, "io: \(text)")
        }
    }
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
