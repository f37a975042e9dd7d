import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench load`: measures the loader and its caches against plain libcurl.
struct BenchLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract:
            "Compares downloads of the loader with downloads of libcurl in C, and measures cache hits.",
        discussion: """
            The loader and libcurl download the same URLs from an nginx that this command runs on 127.0.0.1, with the \
            same concurrency, and read every body to its end; the loader also stores each response on disk. The ratios \
            are the CPU times of the loader and of its transport divided by that of libcurl, medians over the rounds.
            """)

    @Option(help: "Number of downloads per round, by the loader and by libcurl each.") var count = 2_000
    @Option(help: "Size of a body in bytes.") var bytes = 20_000
    @Option(help: "Number of concurrent downloads.") var concurrency = 8
    @Option(help: "Number of measured rounds, after one warm-up round.") var rounds = 9
    @Option(help: "Parent folder of the temporary folder; by default the temporary folder of the system.")
    var directory: String?
    @Flag(help: "Measure only the transport and libcurl in C alone.") var transportOnly = false
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard (1...1_000_000).contains(count), (0...64 << 20).contains(bytes), (1...256).contains(concurrency),
            (1...1_000).contains(rounds)
        else {
            throw ValidationError(
                "--count must be 1 to 1000000, --bytes 0 to 67108864, --concurrency 1 to 256, --rounds 1 to 1000.")
        }
    }

    func run() async throws {
        warnIfDebugBuild()
        let output = try Output()
        try await withTemporaryFolder(in: directory) { folder in
            let body = (0..<bytes).map { _ in UInt8.random(in: 0...255) }
            let server = try BenchLoadServer(body: body, folder: folder)
            defer { withExtendedLifetime(server) {} }
            let benchmark = try await LoadBenchmark(
                origin: server.origin, count: count, bytes: bytes, concurrency: concurrency, rounds: rounds,
                folder: folder, isTransportOnly: transportOnly)
            withExtendedLifetime(server) {}
            try output.write(json ? json(benchmark).text + "\n" : text(benchmark))
        }
    }

    private func text(_ benchmark: LoadBenchmark) -> String {
        var table = Table([
            ("downloads: \(count) x \(bytes) bytes", .left), ("CPU us per load", .right), ("wall us per load", .right),
        ])
        for side in LoadBenchmark.Side.allCases {
            let costs = benchmark.costs(of: side)
            if costs.isEmpty { continue }
            table.append(
                [side.rawValue] + [costs.map(\.cpu), costs.map(\.wall)].map { fixed(median($0) ?? 0, digits: 1) })
        }
        let transport = benchmark.ratios(of: .transport)
        let ratio = """
            ratio of the transport: \(fixed(benchmark.transportRatio, digits: 2)) \
            (\(fixed(transport.min() ?? 0, digits: 2)) to \(fixed(transport.max() ?? 0, digits: 2)))
            """
        let results = transportOnly ? "\(ratio), median of \(rounds) rounds\n" : loaderText(benchmark, ratio)
        return """
            \(table.text)
            \(results)
            CPU time of this process, user and system; \(concurrency) concurrent downloads; sequential hits.
            CPU: \(Machine.processor ?? "unknown")

            """
    }

    private func loaderText(_ benchmark: LoadBenchmark, _ transportRatio: String) -> String {
        let ratios = benchmark.ratios(of: .loader)
        var hits = Table([("lookup", .left), ("CPU us per hit", .right), ("hits per CPU second", .right)])
        for hit in benchmark.hits {
            let cpu = median(hit.microseconds) ?? 0
            hits.append([hit.name.rawValue, fixed(cpu, digits: 3), fixed(1e6 / cpu, digits: 0)])
        }
        return """
            ratio \(fixed(benchmark.ratio, digits: 2)) (median of \(rounds) rounds, \
            \(fixed(ratios.min() ?? 0, digits: 2)) to \(fixed(ratios.max() ?? 0, digits: 2))); \
            ratio of libcurl that writes files: \
            \(fixed(median(benchmark.ratios(of: .floor)) ?? .nan, digits: 2)); \
            \(transportRatio)

            \(hits.text)
            """
    }

    private func json(_ benchmark: LoadBenchmark) -> JSON {
        let sides: [(String, JSON)] = LoadBenchmark.Side.allCases.map { side in
            let costs = benchmark.costs(of: side)
            return (
                side.key,
                .object([
                    ("cpuMicroseconds", .optional(median(costs.map(\.cpu)))),
                    ("wallMicroseconds", .optional(median(costs.map(\.wall)))),
                ])
            )
        }
        return .object(
            [
                ("count", .integer(count)), ("bytes", .integer(bytes)), ("concurrency", .integer(concurrency)),
                ("rounds", .integer(rounds)),
            ] + sides + [
                ("ratio", .number(benchmark.ratio)),
                ("transportRatio", .number(benchmark.transportRatio)),
                ("floorRatio", .number(median(benchmark.ratios(of: .floor)) ?? .nan)),
                ("ratios", .array(benchmark.ratios(of: .loader).map { .number($0) })),
                (
                    "hits",
                    .object(
                        benchmark.hits.map { hit in
                            let cpu = median(hit.microseconds) ?? .nan
                            return (
                                hit.name.key,
                                .object([("cpuMicroseconds", .number(cpu)), ("perCPUSecond", .number(1e6 / cpu))])
                            )
                        })
                ),
            ])
    }
}
