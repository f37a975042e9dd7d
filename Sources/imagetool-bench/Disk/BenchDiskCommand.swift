import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench disk`: measures the disk cache against bare system calls, and with many entries.
struct BenchDiskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disk",
        abstract:
            "Compares the disk cache with plain system calls, and measures the opening of a cache with many entries.",
        discussion: """
            All files are written to a temporary folder, about 4 kB per entry, which is removed afterwards. The ratio \
            is the CPU time of the cache divided by that of the system calls, median over the rounds.
            """)

    @Option(help: "Number of measured rounds, after one warm-up round.") var rounds = 15
    @Option(help: "Number of entries of the large cache; 0 skips it.") var entries = 300_000
    @Option(help: "Parent folder of the temporary folder; by default the temporary folder of the system.")
    var directory: String?
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        if !(1...10_000).contains(rounds) { throw ValidationError("--rounds must be 1 to 10000.") }
        if !(0...10_000_000).contains(entries) { throw ValidationError("--entries must be 0 to 10000000.") }
    }

    func run() async throws {
        warnIfDebugBuild()
        let output = try Output()
        try await withTemporaryFolder(in: directory) { folder in
            let rows = try await DiskBenchmark(rounds: rounds, folder: folder).rows
            let scale = entries > 0 ? try await DiskScaleBenchmark(entries: entries, folder: folder) : nil
            try output.write(json ? Self.json(rows, scale).text + "\n" : Self.text(rows, scale))
        }
    }

    private static func text(_ rows: [DiskBenchmark.Row], _ scale: DiskScaleBenchmark?) -> String {
        var table = Table([
            ("operation", .left), ("DiskCache: us", .right), ("system calls: us", .right), ("ratio", .right),
        ])
        for row in rows {
            table.append([
                row.name.rawValue, scaled(median(row.ours), by: 1e-3), scaled(median(row.baseline), by: 1e-3),
                fixed(row.ratio, digits: 2),
            ])
        }
        return table.text + """

            CPU microseconds per operation, user and system; bodies of \(DiskBenchmark.bodyBytes) bytes in the page \
            cache.
            System calls: open, read, checksum, close for a look-up; open of a missing file for a miss; create, write, \
            rename for a store; open, pwrite, close for a refresh.
            \(scale.map(text) ?? "")
            CPU: \(Machine.processor ?? "unknown")

            """
    }

    private static func text(_ scale: DiskScaleBenchmark) -> String {
        var table = Table([
            ("entries", .right), ("opening: ms", .right), ("max", .right), ("first hit: ms", .right),
            ("max", .right), ("hits during scan: ms", .right), ("max", .right), ("scan: ms", .right),
            ("memory growth: MiB", .right),
        ])
        for row in [scale.small, scale.large] {
            table.append([
                String(row.entries), scaled(median(row.opening), by: 1e-6), scaled(row.opening.max(), by: 1e-6),
                scaled(median(row.firstHit), by: 1e-6), scaled(row.firstHit.max(), by: 1e-6),
                scaled(median(row.laterHits), by: 1e-6), scaled(row.laterHits.max(), by: 1e-6),
                scaled(median(row.scan), by: 1e-6),
                scaled(row.growth.max().map { Double($0) }, by: 1 / 1_048_576),
            ])
        }
        return "\n" + table.text + """

            Wall milliseconds, median and maximum of \(scale.large.opening.count) alternating openings. The first \
            hit is requested directly after opening,
            when \(scale.large.scannedAtFirstHit.max() ?? 0) entries were scanned; another hit is requested every \
            2 ms until the scan ends. Storing the \(scale.large.entries) entries took \
            \(scaled(scale.filling.wall, by: 1e-9)) s.

            """
    }

    private static func scaled(_ value: Double?, by factor: Double) -> String {
        value.map { fixed($0 * factor, digits: 3) } ?? "-"
    }

    private static func json(_ rows: [DiskBenchmark.Row], _ scale: DiskScaleBenchmark?) -> JSON {
        .object([
            ("bodyBytes", .integer(DiskBenchmark.bodyBytes)),
            ("rounds", .integer(rows.first?.ours.count ?? 0)),
            ("operations", .array(rows.map(\.json))),
            ("openings", .array(scale.map { [$0.small.json, $0.large.json] } ?? [])),
            ("storeSeconds", .optional(scale.map { $0.filling.wall / 1e9 })),
        ])
    }
}

extension DiskBenchmark.Row {
    fileprivate var json: JSON {
        .object([
            ("operation", .string(name.rawValue)),
            ("oursCPUNanoseconds", .optional(median(ours))),
            ("bareCPUNanoseconds", .optional(median(baseline))),
            ("ratio", .number(ratio)),
        ])
    }
}

extension DiskScaleBenchmark.Row {
    fileprivate var json: JSON {
        func summary(_ values: [Double]) -> JSON {
            .object([
                ("median", .optional(median(values).map { $0 / 1e6 })),
                ("max", .optional(values.max().map { $0 / 1e6 })),
            ])
        }
        return .object([
            ("entries", .integer(entries)),
            ("openings", .integer(opening.count)),
            ("openingMilliseconds", summary(opening)),
            ("firstHitMilliseconds", summary(firstHit)),
            ("hitDuringScanMilliseconds", summary(laterHits)),
            ("scannedAtFirstHit", .optional(scannedAtFirstHit.max())),
            ("scanMilliseconds", summary(scan)),
            ("growthBytes", .optional(growth.max())),
        ])
    }
}
