#if Tool
import ArgumentParser
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench disk`: measures the disk cache against bare system calls, and with many entries.
struct BenchDiskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disk",
        abstract: "Measures the disk cache: in turn with the bare system calls, and opened with very many entries.",
        discussion: """
            Everything is written into a new folder, which is removed afterwards: about 4 kB an entry. The ratio is \
            the median over the rounds of our CPU time by that of the system calls.
            """)

    @Option(help: "Rounds that count; one more goes before them.") var rounds = 15
    @Option(help: "Entries of the large cache; 0 for none.") var entries = 300_000
    @Option(help: "Folder to make the new folder in; the system's temporary one by default.") var directory: String?
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
        var table = Table([("operation", .left), ("ours: us", .right), ("bare: us", .right), ("ratio", .right)])
        for row in rows {
            table.append([
                row.name.rawValue, scaled(median(row.ours), by: 1e-3), scaled(median(row.baseline), by: 1e-3),
                fixed(row.ratio, digits: 2),
            ])
        }
        return table.text + """

            CPU microseconds an operation, user and system; a body of \(DiskBenchmark.bodyBytes) bytes, files in memory.
            Bare: open, read, the same checksum, close; open of nothing; create, write, rename; open, pwrite, close.
            \(scale.map(text) ?? "")
            CPU: \(Machine.processor ?? "unknown")

            """
    }

    private static func text(_ scale: DiskScaleBenchmark) -> String {
        var table = Table([
            ("entries", .right), ("opening: ms", .right), ("most", .right), ("first hit: ms", .right),
            ("most", .right), ("hits in scan: ms", .right), ("most", .right), ("scan: ms", .right),
            ("growth: MiB", .right),
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

            Wall milliseconds, median and most of \(scale.large.opening.count) openings in turn. The first hit is \
            asked for right behind the opening:
            \(scale.large.scannedAtFirstHit.max() ?? 0) entries were scanned by then; further hits every 2 ms until \
            the scan ends. Storing the \(scale.large.entries) entries took \
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
#endif
