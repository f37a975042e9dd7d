import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `imagetool-bench isolation`: decodes in worker processes and in this process, in alternating rounds.
struct BenchIsolationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "isolation",
        abstract: "Decodes in worker processes and in this process, alternately, and prints CPU and wall times.")

    @Argument(help: "Image file.")
    var file: String
    @Option(help: "The measured operation: decode, thumbnail (256 x 256) or header.") var operation = Operation.decode
    @Option(help: "Operations per round.") var count = 20
    @Option(help: "Rounds of each kind.") var rounds = 7
    @Option(help: "Path of imagetool-decoder; by default beside this program.") var decoder: String?

    enum Operation: String, ExpressibleByArgument, CaseIterable { case decode, thumbnail, header }

    func validate() throws {
        if !(1...1_000_000).contains(count) { throw ValidationError("--count must be 1 to 1000000.") }
        if !(1...1000).contains(rounds) { throw ValidationError("--rounds must be 1 to 1000.") }
    }

    /// CPU time per operation and the wall time of each.
    private struct Round {
        var cpu: Double
        var walls: [Double]
    }

    func run() throws {
        warnIfDebugBuild()
        let output = try Output()
        let bytes = try readInput(file, limit: 1 << 30)
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = 1
        let workers = try DecodeWorkers(configuration)
        let local = ImageDecoder()
        var isolated = local
        isolated.isolation = DecodeIsolation(workers)
        var (localRounds, isolatedRounds): ([Round], [Round]) = ([], [])
        _ = try measure(local, bytes, workers)
        _ = try measure(isolated, bytes, workers)
        for round in 0..<rounds {
            // The second of a pair may be at a disadvantage: the order alternates.
            if round.isMultiple(of: 2) {
                localRounds.append(try measure(local, bytes, nil))
                isolatedRounds.append(try measure(isolated, bytes, workers))
            } else {
                isolatedRounds.append(try measure(isolated, bytes, workers))
                localRounds.append(try measure(local, bytes, nil))
            }
        }
        let ratios = zip(localRounds, isolatedRounds).map { $0.cpu / $1.cpu }
        func milliseconds(_ values: [Double]) -> JSON { .number((median(values) ?? 0) / 1e6) }
        try output.write(
            JSON.object([
                ("operation", .string(operation.rawValue)),
                ("cpuRatio", .number(median(ratios) ?? 0)), ("cpuRatioMin", .number(ratios.min() ?? 0)),
                ("cpuRatioMax", .number(ratios.max() ?? 0)),
                ("localCpuMs", milliseconds(localRounds.map(\.cpu))),
                ("isolatedCpuMs", milliseconds(isolatedRounds.map(\.cpu))),
                ("localWallMs", milliseconds(localRounds.flatMap(\.walls))),
                ("isolatedWallMs", milliseconds(isolatedRounds.flatMap(\.walls))),
            ]).text + "\n")
    }

    private func measure(_ decoder: ImageDecoder, _ bytes: [UInt8], _ workers: DecodeWorkers?) throws -> Round {
        var walls: [Double] = []
        let before = cpuTime(of: workers)
        for _ in 0..<count {
            walls.append(
                try Elapsed.time {
                    switch operation {
                    case .decode: _ = try decoder.decode(bytes)
                    case .thumbnail:
                        _ = try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 256, height: 256))
                    case .header: _ = try decoder.header(of: bytes)
                    }
                }.wall)
        }
        return Round(cpu: (cpuTime(of: workers) - before) / Double(count), walls: walls)
    }

    #if canImport(Glibc)
    private static let children = RUSAGE_CHILDREN.rawValue
    #else
    private static let children = RUSAGE_CHILDREN
    #endif

    /// CPU time of this process, of the workers that are alive and of those that have ended, in nanoseconds.
    private func cpuTime(of workers: DecodeWorkers?) -> Double {
        var usage = rusage()
        getrusage(Self.children, &usage)
        let ended =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3
        var sum = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) + ended
        for process in workers?.processIdentifiers ?? [] {
            var clock = clockid_t()
            if clock_getcpuclockid(process, &clock) == 0 { sum += nanoseconds(clock) }
        }
        return sum
    }
}
