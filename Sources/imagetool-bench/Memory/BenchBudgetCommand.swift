import PlatformImage
import PlatformImageToolSupport

/// `imagetool-bench budget`: measures the memory of many concurrent decodes under a budget.
struct BenchBudgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budget",
        abstract:
            "Decodes one file many times concurrently with a memory budget, and checks the memory of the process.",
        discussion: """
            All decodes share one input and are requested concurrently; each stores its bitmap in the cache. Exit \
            code 1 if a decode fails, or if the peak of resident memory (VmHWM) exceeds the resident memory at \
            the start by more than the sum of --budget, --cache and --slack.
            """)

    @Argument(help: "Image file.") var file: String
    @Option(help: "Number of decodes.") var count = 200
    @Option(help: "Number of threads of the decode queue; 0 means one per available processor.") var width = 16
    @Option(help: "Memory budget of concurrent decodes in bytes.") var budget = 256_000_000
    @Option(help: "Size limit of the cache in bytes.") var cache = 64 << 20
    @Option(help: "Allowed growth of resident memory in addition to --budget and --cache, in bytes.")
    var slack = 60 << 20
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard [budget, cache, slack].allSatisfy({ $0 <= 1 << 40 }) else {
            throw ValidationError("--budget, --cache and --slack must be at most 1 TiB.")
        }
        guard count >= 1, (0...1024).contains(width), budget >= 1, cache >= 0, slack >= 0 else {
            throw ValidationError(
                "--count and --budget must be at least 1, --width 0 to 1024, --cache and --slack at least 0.")
        }
    }

    func run() async throws {
        let output = try Output()
        let idle = residentBytes(.current)
        let bytes = try convertingDecodeError { () throws(Failure) in
            try readInput(file, limit: DecodeLimits().maxInputBytes)
        }
        let memory = MemoryCache<Int, Bitmap>(maxBytes: cache)
        let queue = DecodeQueue(width: width, budget: DecodeBudget(maxBytes: budget))
        let failures = await withTaskGroup(of: DecodeError?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do throws(DecodeError) {
                        try await queue.decode(bytes) { image in
                            _ = memory.insert(image.bitmap, for: number, cost: image.bitmap.byteCount)
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [DecodeError]()) { if let error = $1 { $0.append(error) } }
        }
        let growth = residentBytes(.peak) - idle
        let bound = budget + cache + slack
        let figures: [(String, Int)] = [
            ("decodes", count), ("failed", failures.count), ("threads", queue.width), ("inputBytes", bytes.count),
            ("budgetBytes", budget), ("budgetPeakBytes", queue.budget.peakGrantedBytes), ("cacheMaxBytes", cache),
            ("cachePeakBytes", memory.peakTotalBytes), ("idleResidentBytes", idle),
            ("peakResidentBytes", idle + growth), ("growthBytes", growth), ("growthLimitBytes", bound),
        ]
        if json {
            try output.write(JSON.object(figures.map { ($0.0, .integer($0.1)) }).text + "\n")
        } else {
            try output.write(table(of: figures))
        }
        if let failure = failures.first {
            printError("\(file): \(failure)")
            throw ExitCode(1)
        }
        if growth > bound {
            printError("imagetool: resident memory grew by \(growth) bytes, the limit is \(bound) bytes")
            throw ExitCode(1)
        }
    }
}
