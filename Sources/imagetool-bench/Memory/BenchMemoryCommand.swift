import PlatformImage
import PlatformImageToolSupport

/// `imagetool-bench memory`: verifies that the cache limit bounds the memory of the process.
struct BenchMemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory",
        abstract: "Decodes images of mixed sizes into a memory cache and checks the memory of the process.",
        discussion: """
            The images are generated in memory as BMP. Exit code 1 if the peak of resident memory (VmHWM) exceeds \
            the resident memory before the first decode by more than the sum of --cache, --budget and --slack. The \
            default of --slack is 32 MiB for the pool of pixel buffers, and 28 MiB for stacks, codecs and heap \
            fragmentation by bitmaps under 4 MiB.
            """)

    @Option(help: "Number of images.") var count = 5_000
    @Option(help: "Size limit of the cache in bytes.") var cache = 64 << 20
    @Option(help: "Memory budget of concurrent decodes in bytes.") var budget = 40 << 20
    @Option(help: "Number of images requested concurrently.") var inFlight = 16
    @Option(help: "Allowed growth of resident memory in addition to --budget and --cache, in bytes.")
    var slack = 60 << 20
    @Flag(help: "Print one JSON object, with the memory figures after every 10th image.") var json = false

    func validate() throws {
        guard [budget, cache, slack].allSatisfy({ $0 <= 1 << 40 }) else {
            throw ValidationError("--budget, --cache and --slack must be at most 1 TiB.")
        }
        guard count >= 1, inFlight >= 1, budget >= 1, cache >= 0, slack >= 0 else {
            throw ValidationError(
                "--count, --in-flight and --budget must be at least 1, --cache and --slack at least 0.")
        }
    }

    func run() async throws {
        let output = try Output()
        let result: MemoryBenchmark
        do throws(DecodeError) {
            result = try await MemoryBenchmark(
                count: count, cacheBytes: cache, budgetBytes: budget, inFlight: inFlight)
        } catch {
            throw Failure(error)
        }
        let bound = cache + budget + slack
        let figures: [(String, Int)] = [
            ("images", result.samples.count), ("threads", result.queueWidth), ("decodedBytes", result.decodedBytes),
            ("cacheMaxBytes", cache), ("cachePeakBytes", result.cachePeakBytes), ("budgetBytes", budget),
            ("budgetPeakBytes", result.budgetPeakBytes), ("slackBytes", slack),
            ("livePeakBytes", result.samples.map(\.liveBytes).max() ?? 0),
            ("pooledPeakBytes", result.samples.map(\.pooledBytes).max() ?? 0),
            ("idleResidentBytes", result.idleBytes), ("growthBytes", result.peakGrowth), ("growthLimitBytes", bound),
        ]
        try output.write(json ? Self.json(figures, result.samples).text + "\n" : table(of: figures))
        if result.peakGrowth > bound || result.cachePeakBytes > cache {
            printError(
                "imagetool: resident memory grew by \(result.peakGrowth) bytes, limit \(bound) bytes; "
                    + "the cache grew to \(result.cachePeakBytes) bytes, limit \(cache) bytes")
            throw ExitCode(1)
        }
    }

    private static func json(_ figures: [(String, Int)], _ samples: [MemoryBenchmark.Sample]) -> JSON {
        let selected = samples.filter { $0.images == 1 || $0.images.isMultiple(of: 10) }
        return .object(
            figures.map { ($0.0, .integer($0.1)) } + [
                (
                    "samples",
                    .array(
                        selected.map { sample in
                            .object([
                                ("images", .integer(sample.images)),
                                ("cacheBytes", .integer(sample.cacheBytes)),
                                ("liveBytes", .integer(sample.liveBytes)),
                                ("pooledBytes", .integer(sample.pooledBytes)),
                                ("residentGrowthBytes", .integer(sample.residentGrowth)),
                            ])
                        })
                )
            ])
    }
}
