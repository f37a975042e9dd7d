#if Tool
import ArgumentParser
import PlatformImage
import PlatformImageToolSupport

/// `imagetool-bench memory`: verifies that the cache limit bounds the memory of the process.
struct BenchMemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory",
        abstract: "Sends images of mixed sizes through a memory cache and looks at the process's memory.",
        discussion: """
            The images are made in memory, as BMP. Exit code 1 when the peak of resident memory (VmHWM) is more than \
            limit, budget and --slack above that before the first decode. The slack is 32 MiB of pixel buffers kept \
            for reuse, and 28 MiB for stacks, codecs and the gaps in the heap that bitmaps under 4 MiB come from.
            """)

    @Option(help: "Images.") var count = 5_000
    @Option(help: "Limit of the cache in bytes.") var cache = 64 << 20
    @Option(help: "Bytes that decodes may hold at once.") var budget = 40 << 20
    @Option(help: "Images asked for at the same time.") var inFlight = 16
    @Option(help: "Bytes that the process may take besides.") var slack = 60 << 20
    @Flag(help: "Print one JSON object, with a sample for every 10th image.") var json = false

    func validate() throws {
        guard [budget, cache, slack].allSatisfy({ $0 <= 1 << 40 }) else {
            throw ValidationError("--budget, --cache and --slack are at most 1 TiB.")
        }
        guard count >= 1, inFlight >= 1, budget >= 1, cache >= 0, slack >= 0 else {
            throw ValidationError("--count, --in-flight and --budget are at least 1, the others at least 0.")
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
            printError("imagetool: resident memory grew by \(result.peakGrowth) bytes, over the limit of \(bound)")
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
#endif
