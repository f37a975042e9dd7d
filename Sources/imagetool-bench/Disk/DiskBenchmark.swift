import Foundation
import PlatformImageBenchmarking
import PlatformImageLoader
import PlatformImageToolSupport

/// CPU time of disk cache operations and of the bare system calls, measured alternately with files in the page cache.
struct DiskBenchmark {
    enum Case: String, CaseIterable {
        case hit = "look-up, verified"
        case miss
        case store
        case refresh = "refresh (304)"

        /// Operations per round, equal for the cache and for the system calls.
        fileprivate var operations: Int {
            switch self {
            case .hit, .miss: 2_000
            case .store, .refresh: 500
            }
        }
    }

    /// Times of one operation, one value per measured round.
    struct Row {
        let name: Case
        /// CPU nanoseconds per cache operation.
        var ours: [Double] = []
        var baseline: [Double] = []

        /// CPU time of the cache divided by that of the system calls, median over the rounds.
        var ratio: Double { median(zip(ours, baseline).map { $0 / $1 }) ?? .nan }
    }

    /// Size of the body in bytes.
    static let bodyBytes = 20_000

    private(set) var rows = Case.allCases.map { Row(name: $0) }

    /// - Parameter folder: Empty folder; the files remain in it.
    init(rounds: Int, folder: String) async throws {
        let load = try await DiskLoad(folder: folder)
        for round in 0...rounds {
            for index in rows.indices {
                let name = rows[index].name
                var elapsed = Elapsed(cpu: 0, wall: 0)
                if round.isMultiple(of: 2) { elapsed = load.timeOurs(name) }
                let baselineElapsed = load.timeBaseline(name)
                if !round.isMultiple(of: 2) { elapsed = load.timeOurs(name) }
                guard round > 0 else { continue }
                rows[index].ours.append(elapsed.cpu / Double(name.operations))
                rows[index].baseline.append(baselineElapsed.cpu / Double(name.operations))
            }
        }
    }
}

/// A cache with a few entries, and a plain file for each of them.
private final class DiskLoad {
    private static let entries = 64

    private let samples = DiskSamples(bodyBytes: DiskBenchmark.bodyBytes)
    private let cache: DiskCache
    private let baseline: DiskBaseline
    private let keys: [CacheKey]
    private let missing: [CacheKey]
    private let stored: [CacheEntry]
    private let bodies: [[UInt8]]
    /// Current revisions of the entries; each store creates a new one.
    private var revisions: [DiskCache.Revision] = []
    /// Files of the cache, which the baseline reads too.
    private let files: [String]
    /// Files that the baseline writes, each in a separate folder: the cache, too, spreads its files over many folders.
    private let baselineFiles: [String]
    private let baselineBytes: [UInt8]

    init(folder: String) async throws {
        cache = DiskCache(directory: folder + "/cache")
        keys = (0..<Self.entries).map { [samples] in samples.key($0) }
        missing = (0..<Self.entries).map { [samples] in samples.key($0 + Self.entries) }
        stored = (0..<Self.entries).map { [samples] in samples.entry($0) }
        bodies = (0..<Self.entries).map { [samples] in samples.body($0) }
        for number in 0..<Self.entries {
            guard cache.store(stored[number], body: bodies[number]) else {
                throw Failure(.ioError, "io: the cache cannot store entries in \(folder)")
            }
        }
        await cache.flush()
        files = try listFiles(folder + "/cache/v1").map { "\(folder)/cache/v1/\($0)" }
        baselineBytes = try readInput(files[0], limit: nil)
        baselineFiles = try (0..<Self.entries).map { number in
            let shard = "\(folder)/bare/\(number)"
            try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
            return shard + "/file"
        }
        baseline = DiskBaseline(maxBytes: baselineBytes.count + 1)
        for file in baselineFiles where !baseline.store(baselineBytes, at: file) {
            throw Failure(.ioError, "io: \(file): \(systemMessage())")
        }
    }

    func timeOurs(_ name: DiskBenchmark.Case) -> Elapsed {
        var done = 0
        if name == .refresh { revisions = keys.compactMap { cache.header($0)?.revision } }
        let elapsed = Elapsed.time {
            for step in 0..<name.operations {
                let number = step % Self.entries
                switch name {
                case .hit: done += cache.read(keys[number])?.body.count == DiskBenchmark.bodyBytes ? 1 : 0
                case .miss: done += cache.read(missing[number]) == nil ? 1 : 0
                case .store: done += cache.store(stored[number], body: bodies[number]) ? 1 : 0
                case .refresh: done += cache.refresh(stored[number], of: revisions[number]) ? 1 : 0
                }
            }
        }
        precondition(done == name.operations, "an operation failed")
        return elapsed
    }

    func timeBaseline(_ name: DiskBenchmark.Case) -> Elapsed {
        var done = 0
        let slot = Array(baselineBytes.dropFirst(8).prefix(1024))
        let elapsed = Elapsed.time {
            for step in 0..<name.operations {
                let number = step % Self.entries
                switch name {
                case .hit: done += baseline.checksum(files[number], bodyBytes: DiskBenchmark.bodyBytes) != nil ? 1 : 0
                case .miss: done += baseline.checksum(baselineFiles[number] + "-", bodyBytes: 0) == nil ? 1 : 0
                case .store: done += baseline.store(baselineBytes, at: baselineFiles[number]) ? 1 : 0
                case .refresh: done += baseline.refresh(slot, at: 8, of: baselineFiles[number]) ? 1 : 0
                }
            }
        }
        precondition(done == name.operations, "an operation failed")
        return elapsed
    }
}
