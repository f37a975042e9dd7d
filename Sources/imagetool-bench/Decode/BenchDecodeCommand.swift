import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench decode`: measures decoding against plain use of the C libraries, in one process.
struct BenchDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Compares the CPU time of decoding from memory with that of direct calls of the C libraries.",
        discussion: """
            Decodes pixels as stored: all frames of a GIF, otherwise one image. The ratio is the CPU time of the C \
            library divided by that of PlatformImage, median over the rounds; above 1, PlatformImage is faster. Large \
            images of known kinds have a target ratio; the exit code is 1 if a ratio is more than 5 % below its target \
            or if the pixels differ. The baselines have no limits: use only trusted files.
            """)

    @Argument(help: "Image files.") var files: [String]
    @Option(
        name: [.customLong("rounds"), .customLong("iterations")],
        help: "Number of measured rounds, after one warm-up round.")
    var rounds = 11
    @Flag(help: "Print one JSON array.") var json = false
    @Option(help: "Also write the JSON array to this file.") var report: String?
    @Flag(help: "Measure only PlatformImage.") var noBaseline = false
    /// Former name of `--no-baseline`.
    @Flag(name: .customLong("no-twin"), help: .hidden) var noBaselineAlias = false
    /// Waits for a line of standard input before each measurement, so that `Benchmarks/peers.py` can alternate between
    /// this process and other decoders.
    @Flag(help: .hidden) var turns = false

    func validate() throws {
        if !(1...1_000_000).contains(rounds) { throw ValidationError("--rounds must be 1 to 1000000.") }
        if turns, files.count != 1 { throw ValidationError("--turns requires exactly one file.") }
    }

    func run() throws {
        warnIfDebugBuild()
        let output = try Output()
        if turns { return try forEachFile(files) { try Self.runAlternating($0, output) } }
        var results: [DecodeBenchmark] = []
        var failure: ExitCode?
        do {
            try forEachFile(files) { path in
                let bytes = try readInput(path, limit: DecodeBenchmark.options.limits.maxInputBytes)
                let hasBaseline = !noBaseline && !noBaselineAlias
                results.append(try DecodeBenchmark(bytes, name: path, rounds: rounds, hasBaseline: hasBaseline))
            }
        } catch let exit as ExitCode {
            failure = exit
        }
        let lines = JSON.lines(results.map(\.json))
        try output.write(json ? lines : DecodeTable.text(of: results))
        if let report {
            let file = try Output(path: report)
            try file.write(lines)
            try file.commit()
        }
        if let failure { throw failure }
        if results.contains(where: { $0.verdict == .missed || $0.verdict == .pixelsDiffer }) { throw ExitCode(1) }
    }

    /// For each line of standard input, decodes the file once with this library and once with the plain C library, and
    /// prints the CPU times of this library and of the C library in nanoseconds. The first output line contains width,
    /// height, number of frames, and kind of image, such as `PNG RGB photo`.
    private static func runAlternating(_ path: String, _ output: Output) throws {
        let bytes = try readInput(path, limit: DecodeBenchmark.options.limits.maxInputBytes)
        let benchmark = try DecodeBenchmark(bytes, name: path, rounds: 1, hasBaseline: true)
        let header = benchmark.header
        try output.write("\(header.width) \(header.height) \(benchmark.frames) \(benchmark.goal.kind)\n")
        // The decoder that runs second finds the file in the CPU cache, so the order of the two decoders alternates.
        var baselineGoesFirst = false
        while readLine() != nil {
            let before = baselineGoesFirst ? benchmark.timeBaseline(1) : nil
            let ours = try benchmark.timeOurs(1)
            try output.write("\(Int(ours.cpu)) \(Int((before ?? benchmark.timeBaseline(1)).cpu))\n")
            baselineGoesFirst.toggle()
        }
    }
}

extension DecodeBenchmark {
    fileprivate var json: JSON {
        func summary(_ values: [Double]) -> JSON {
            .object([("min", .optional(values.min())), ("median", .optional(median(values)))])
        }
        return .object([
            ("file", .string(name)),
            ("format", .string(header.format.rawValue)),
            ("kind", .string(goal.kind)),
            ("width", .integer(header.width)),
            ("height", .integer(header.height)),
            ("frames", .integer(frames)),
            ("iterations", .integer(ours.cpu.count)),
            ("cpuNanosecondsPerPixel", summary(ours.cpu)),
            ("wallNanosecondsPerPixel", summary(ours.wall)),
            ("twin", baseline.map { .object([("cpuNanosecondsPerPixel", summary($0.cpu))]) } ?? .null),
            ("ratio", .optional(ratio)),
            ("leastRatio", .optional(ratios.min())),
            ("greatestRatio", .optional(ratios.max())),
            ("bar", .optional(goal.targetRatio)),
            ("verdict", .optional(verdict?.rawValue)),
            ("library", .string(ImageDecoder.libraryVersion(of: header.format))),
        ])
    }
}
