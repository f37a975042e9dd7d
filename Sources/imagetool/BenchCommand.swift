#if Tool
import ArgumentParser
import PlatformImage

/// `imagetool bench`: how fast things are here.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures speed on this machine.",
        subcommands: [
            BenchDecodeCommand.self, BenchCacheCommand.self, BenchBudgetCommand.self, BenchMemoryCommand.self,
            BenchDiskCommand.self, BenchThumbCommand.self, BenchResizeCommand.self,
        ] + networkCommands)

    /// What needs a transport.
    private static var networkCommands: [any ParsableCommand.Type] {
        #if AsyncHTTPClient
        [BenchLoadCommand.self, BenchSoakCommand.self]
        #else
        []
        #endif
    }
}

/// `imagetool bench decode`: against the plain use of the C libraries, in the same process.
struct BenchDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decodes files from memory, in turn with the plain use of the C library, and compares CPU time.",
        discussion: """
            Pixels as stored; all frames of a GIF, else one picture. The ratio is the median over the rounds of the \
            library's CPU time by ours: over 1 we are faster. The twins check no limits: give them files you trust.
            """)

    @Argument(help: "Image files.") var files: [String]
    @Option(help: "Rounds that count; one more goes before them.") var iterations = 10
    @Flag(help: "Print one JSON array.") var json = false
    @Flag(help: "Measure only our side.") var noTwin = false

    func validate() throws {
        if !(1...1_000_000).contains(iterations) { throw ValidationError("--iterations must be 1 to 1000000.") }
    }

    func run() throws {
        #if DEBUG
        printError("imagetool: this is a debug build: its figures say nothing, build with -c release")
        #endif
        let output = try Output()
        var results: [DecodeBenchmark] = []
        defer { try? output.write(json ? JSON.lines(results.map(\.json)) : Self.text(of: results)) }
        try forEachFile(files) { path in
            let result = try DecodeBenchmark(path, iterations: iterations, hasTwin: !noTwin)
            if result.pixelsAgree == false { printError("\(path): the library's plain use gives other pixels") }
            results.append(result)
        }
    }

    private static func text(of results: [DecodeBenchmark]) -> String {
        guard !results.isEmpty else { return "" }
        var table = Table([
            ("file", .left), ("format", .left), ("size", .right), ("frames", .right), ("ours: min", .right),
            ("median", .right), ("library: min", .right), ("median", .right), ("ratio", .right),
        ])
        for result in results {
            let header = result.header
            let times = [result.ours.cpu.min(), median(result.ours.cpu)]
            let twinTimes = [result.twin?.cpu.min(), result.twin.flatMap { median($0.cpu) }]
            table.append(
                [result.path, header.format.rawValue, "\(header.width)x\(header.height)", String(result.frames)]
                    + (times + twinTimes).map { $0.map { fixed($0, digits: 3) } ?? "-" }
                    + [result.ratio.map { fixed($0, digits: 2) } ?? "-"])
        }
        let libraries = ImageFormat.allCases.filter { $0 != .bmp }.map { ImageDecoder.libraryVersion(of: $0) }
        return table.text + """

            CPU nanoseconds a pixel, user and system; ratio over 1: ours is faster.
            Buffers: a fresh one each decode (ours from the pixel pool, the library's from malloc).
            Libraries: \(libraries.joined(separator: ", "))
            CPU: \(cpuModel() ?? "unknown")

            """
    }
}

extension DecodeBenchmark {
    fileprivate var json: JSON {
        func summary(_ values: [Double]) -> JSON {
            .object([("min", .optional(values.min())), ("median", .optional(median(values)))])
        }
        return .object([
            ("file", .string(path)),
            ("format", .string(header.format.rawValue)),
            ("width", .integer(header.width)),
            ("height", .integer(header.height)),
            ("frames", .integer(frames)),
            ("iterations", .integer(ours.cpu.count)),
            ("cpuNanosecondsPerPixel", summary(ours.cpu)),
            ("wallNanosecondsPerPixel", summary(ours.wall)),
            ("twin", twin.map { .object([("cpuNanosecondsPerPixel", summary($0.cpu))]) } ?? .null),
            ("ratio", .optional(ratio)),
        ])
    }
}
#endif
