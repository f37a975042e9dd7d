#if Tool
import ArgumentParser
import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench decode`: measures decoding against plain use of the C libraries, in one process.
struct BenchDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decodes files from memory, in turn with the plain use of the C library, and compares CPU time.",
        discussion: """
            Pixels as stored; all frames of a GIF, else one picture. The ratio is the median over the rounds of the \
            library's CPU time by ours: over 1 we are faster. Large pictures of the kinds of the goals table have a bar \
            beside it; exit code 1 when one is missed by more than 5 %, or when the library shows other pixels. The \
            baselines check no limits: give them files you trust.
            """)

    @Argument(help: "Image files.") var files: [String]
    @Option(name: [.customLong("rounds"), .customLong("iterations")], help: "Rounds that count; one goes before them.")
    var rounds = 11
    @Flag(help: "Print one JSON array.") var json = false
    @Option(help: "Write the JSON array to this file besides.") var report: String?
    @Flag(help: "Measure only our side.") var noBaseline = false
    /// Former name of `--no-baseline`.
    @Flag(name: .customLong("no-twin"), help: .hidden) var noBaselineAlias = false
    /// For `Benchmarks/peers.py`, which alternates with this process.
    @Flag(help: .hidden) var turns = false

    func validate() throws {
        if !(1...1_000_000).contains(rounds) { throw ValidationError("--rounds must be 1 to 1000000.") }
        if turns, files.count != 1 { throw ValidationError("--turns takes one file.") }
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

    /// Decodes once with each side per line of standard input and prints the CPU time of both in nanoseconds: ours,
    /// then the library's. The first output line contains width, height, frames and kind.
    private static func runAlternating(_ path: String, _ output: Output) throws {
        let bytes = try readInput(path, limit: DecodeBenchmark.options.limits.maxInputBytes)
        let benchmark = try DecodeBenchmark(bytes, name: path, rounds: 1, hasBaseline: true)
        let header = benchmark.header
        try output.write("\(header.width) \(header.height) \(benchmark.frames) \(benchmark.goal.kind)\n")
        // The second decoder finds the file in the CPU cache, so the sides alternate in going first.
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
#endif
