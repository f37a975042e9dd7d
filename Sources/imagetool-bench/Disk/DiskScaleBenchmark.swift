import Foundation
import PlatformImageBenchmarking
import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Time to open a cache with many entries and to get the first hit, compared with a small cache.
struct DiskScaleBenchmark {
    /// Measurements. Each array contains one value per opening of the cache, except `laterHits`: any number of values.
    struct Row {
        let entries: Int
        /// Wall nanoseconds to create the `DiskCache`.
        var opening: [Double] = []
        /// Wall nanoseconds of the first lookup, directly after the `DiskCache` is created.
        var firstHit: [Double] = []
        /// Entries that the scan had counted at the first hit.
        var scannedAtFirstHit: [Int] = []
        /// Wall nanoseconds of lookups every 2 ms during the scan; empty when the scan ended before the first of them.
        var laterHits: [Double] = []
        /// Wall nanoseconds from opening to the end of the scan.
        var scan: [Double] = []
        /// Peak growth of resident memory during the scan, in bytes.
        var growth: [Int] = []
    }

    /// Size of each body in bytes: with two header slots of 1 kB an entry occupies one block of 4 kB.
    static let bodyBytes = 2_000
    private static let openings = 5
    private static let smallEntries = 100

    private(set) var small = Row(entries: smallEntries)
    private(set) var large: Row
    /// Time to store all entries of the large cache.
    let filling: Elapsed

    /// - Parameter folder: Empty folder; the files remain in it.
    init(entries: Int, folder: String) async throws {
        large = Row(entries: entries)
        _ = try await Self.fill(folder + "/small", entries: small.entries)
        filling = try await Self.fill(folder + "/large", entries: entries)
        for _ in 0..<Self.openings {
            try Self.open(folder + "/small", &small)
            try Self.open(folder + "/large", &large)
        }
    }

    private static func fill(_ folder: String, entries: Int) async throws -> Elapsed {
        let samples = DiskSamples(bodyBytes: bodyBytes)
        let cache = DiskCache(directory: folder)
        let body = samples.body(0)
        let elapsed = try Elapsed.time {
            for number in 0..<entries {
                guard cache.store(samples.entry(number), body: body) else {
                    throw Failure(.ioError, "io: the cache stored only \(number) of \(entries) entries")
                }
            }
        }
        await cache.flush()
        return elapsed
    }

    private static func open(_ folder: String, _ row: inout Row) throws {
        let key = DiskSamples(bodyBytes: bodyBytes).key(.random(in: 0..<row.entries))
        // Read the entry first: with a cold page cache the disk would be measured and not the scan.
        _ = DiskCache(directory: folder).read(key)
        let resident = residentBytes(.current)
        let start = nanoseconds(CLOCK_MONOTONIC)
        let cache = DiskCache(directory: folder)
        let opened = nanoseconds(CLOCK_MONOTONIC)
        let found = cache.read(key)
        let hit = nanoseconds(CLOCK_MONOTONIC)
        row.scannedAtFirstHit.append(cache.statistics.entries)
        guard found?.body.count == bodyBytes else {
            throw Failure(.ioError, "io: the cache in \(folder) does not contain a stored entry")
        }
        var peak = residentBytes(.current)
        while !cache.statistics.isComplete {
            usleep(2_000)
            let start = nanoseconds(CLOCK_MONOTONIC)
            guard cache.read(key) != nil else { throw Failure(.ioError, "io: the cache in \(folder) lost an entry") }
            row.laterHits.append(nanoseconds(CLOCK_MONOTONIC) - start)
            peak = max(peak, residentBytes(.current))
        }
        row.scan.append(nanoseconds(CLOCK_MONOTONIC) - start)
        guard cache.statistics.entries == row.entries else {
            throw Failure(
                .ioError, "io: the scan of \(folder) found \(cache.statistics.entries) entries, expected \(row.entries)"
            )
        }
        row.opening.append(opened - start)
        row.firstHit.append(hit - opened)
        row.growth.append(peak - resident)
    }
}
