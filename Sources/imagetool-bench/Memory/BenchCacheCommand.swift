import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench cache`: measures the memory cache against a conventional LRU cache, in one process.
struct BenchCacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Compares the memory cache with a plain dictionary and list, and with NSCache.",
        discussion: """
            4,096 entries, keys of 63 bytes, random order; in every round, each cache performs the same operations. \
            The first ratio is the CPU time of MemoryCache divided by that of the plain cache, median over the rounds; \
            below 1, MemoryCache is faster. The second ratio is the number of operations per second of \
            MemoryCache divided by that of the plain cache, all threads together; above 1, MemoryCache is faster. Two \
            threads are pinned to one core each and start together; cpu/wall shows whether they ran in parallel.
            """)

    @Option(help: "Number of measured rounds, after one warm-up round.") var rounds = 9
    @Flag(help: "Print one JSON array.") var json = false

    func validate() throws {
        if !(1...10_000).contains(rounds) { throw ValidationError("--rounds must be 1 to 10000.") }
    }

    func run() throws {
        warnIfDebugBuild()
        let output = try Output()
        let rows = CacheBenchmark(rounds: rounds).rows
        try output.write(json ? JSON.lines(rows.map(\.json)) : Self.text(of: rows))
    }

    private static func text(of rows: [CacheBenchmark.Row]) -> String {
        var table = Table([
            ("operation", .left), ("threads", .right), ("MemoryCache: ns", .right), ("plain: ns", .right),
            ("ratio", .right), ("NSCache: ns", .right), ("MemoryCache: M/s", .right), ("plain: M/s", .right),
            ("ratio", .right), ("MemoryCache: speedup", .right), ("plain: speedup", .right),
            ("MemoryCache: cpu/wall", .right), ("plain: cpu/wall", .right),
        ])
        for row in rows {
            let single = rows.first { $0.name == row.name && $0.threads == 1 }
            func gain(_ rates: KeyPath<CacheBenchmark.Row, [Double]>) -> Double? {
                guard row.threads > 1, let one = single.flatMap({ median($0[keyPath: rates]) }) else { return nil }
                return median(row[keyPath: rates]).map { $0 / one }
            }
            let cells: [(Double?, digits: Int)] = [
                (median(row.ours), 1), (median(row.baseline), 1), (row.ratio, 2), (median(row.nsCache), 1),
                (median(row.oursRate).map { $0 / 1e6 }, 2), (median(row.baselineRate).map { $0 / 1e6 }, 2),
                (row.rateRatio, 2), (gain(\.oursRate), 2), (gain(\.baselineRate), 2),
                (median(row.oursParallelism), 2), (median(row.baselineParallelism), 2),
            ]
            table.append(
                [row.name.rawValue, String(row.threads)]
                    + cells.map { value, digits in value.map { fixed($0, digits: digits) } ?? "-" })
        }
        return table.text + """

            ns: CPU nanoseconds per operation, user and system. M/s: million operations per wall second, all threads.
            speedup: M/s with two threads divided by M/s with one thread.
            same key: the inserted key; equal key: another key with an equal text; new key: created for each lookup.
            CPU: \(Machine.processor ?? "unknown")

            """
    }
}

extension CacheBenchmark.Row {
    fileprivate var json: JSON {
        .object([
            ("operation", .string(name.rawValue)),
            ("threads", .integer(threads)),
            ("rounds", .integer(ours.count)),
            ("oursCPUNanoseconds", .optional(median(ours))),
            ("plainCPUNanoseconds", .optional(median(baseline))),
            ("nsCacheCPUNanoseconds", .optional(median(nsCache))),
            ("ratio", .number(ratio)),
            ("oursOperationsPerSecond", .optional(median(oursRate))),
            ("plainOperationsPerSecond", .optional(median(baselineRate))),
            ("rateRatio", .number(rateRatio)),
            ("oursCPUPerWall", .optional(median(oursParallelism))),
            ("plainCPUPerWall", .optional(median(baselineParallelism))),
        ])
    }
}
