import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `imagetool-bench workers`: times of the replacement and the end of worker processes, and their memory.
struct BenchWorkersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Ends, cancels and idles decode workers, and prints the times until the next results.")

    @Argument(help: "A small image file, for the times after the end of a worker.")
    var small: String
    @Argument(help: "A large image file, for cancelled decodes and for the memory of workers.")
    var large: String
    @Option(help: "An image file that a worker decodes before its memory is measured; by default the large file.")
    var progressive: String?
    @Option(help: "Ended workers, and cancelled decodes.") var count = 100
    @Option(help: "Path of imagetool-decoder; by default beside this program.") var decoder: String?

    func validate() throws {
        if !(1...100_000).contains(count) { throw ValidationError("--count must be 1 to 100000.") }
    }

    func run() throws {
        warnIfDebugBuild()
        let output = try Output()
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = 1
        let workers = try DecodeWorkers(configuration)
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(workers)
        let (smallBytes, largeBytes) = (try readInput(small, limit: 1 << 30), try readInput(large, limit: 1 << 30))

        let progressiveBytes = try progressive.map { try readInput($0, limit: 1 << 30) } ?? largeBytes

        waitForSpare(workers)
        let newResident = try largestResidentBytes(of: workers)
        let idleResident = try measureIdleMemory(isolated, progressiveBytes, workers)
        let recovery = try measureRecovery(isolated, smallBytes, workers)
        let cancelled = try measureCancellation(isolated, largeBytes)
        let idle = try measureIdleSlab(isolated, largeBytes, workers)

        func milliseconds(_ values: [Double]) -> JSON { .number((median(values) ?? 0) / 1e6) }
        try output.write(
            JSON.object([
                ("count", .integer(count)),
                ("newResidentBytes", .integer(newResident)),
                ("decodedResidentBytes", .integer(idleResident.decoded)),
                ("idleResidentBytes", .integer(idleResident.idle)),
                ("usualAnswerMs", milliseconds(recovery.usual)),
                ("nextAnswerMs", milliseconds(recovery.next)),
                ("nextAnswerMaxMs", .number((recovery.next.max() ?? 0) / 1e6)),
                ("replacementMs", milliseconds(recovery.replacement)),
                ("replacementMaxMs", .number((recovery.replacement.max() ?? 0) / 1e6)),
                ("cancelMs", milliseconds(cancelled)),
                ("cancelMaxMs", .number((cancelled.max() ?? 0) / 1e6)),
                ("usualDecodeMs", milliseconds(idle.usual)), ("decodeAfterIdleMs", milliseconds(idle.afterIdle)),
                ("idleSlabBytes", .integer(idle.keptBytes)),
            ]).text + "\n")
    }

    private func waitForSpare(_ workers: DecodeWorkers) {
        while workers.statistics.aliveWorkers < 2 { sched_yield() }
    }

    /// Ends the worker that the next decode would use, and measures that decode and the start of the replacement.
    private func measureRecovery(
        _ decoder: ImageDecoder, _ bytes: [UInt8], _ workers: DecodeWorkers
    ) throws -> (usual: [Double], next: [Double], replacement: [Double]) {
        var (usual, next, replacement): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<count {
            waitForSpare(workers)
            _ = try decoder.decode(bytes)
            usual.append(try Elapsed.time { _ = try decoder.decode(bytes) }.wall)
            guard let process = workers.nextProcessIdentifier else { continue }
            kill(process, SIGKILL)
            // The worker has no request, so its end appears only when the next request is sent.
            waitUntilEnded(process)
            let start = nanoseconds(CLOCK_MONOTONIC)
            next.append(try Elapsed.time { _ = try decoder.decode(bytes) }.wall)
            waitForSpare(workers)
            replacement.append(nanoseconds(CLOCK_MONOTONIC) - start)
        }
        return (usual, next, replacement)
    }

    private func waitUntilEnded(_ process: Int32) {
        while let bytes = try? readInput("/proc/\(process)/stat", limit: 1 << 16),
            !String(decoding: bytes, as: UTF8.self).contains(") Z ")
        {
            sched_yield()
        }
    }

    /// Cancels decodes at different times, and measures the time from the cancellation to the return of the decode.
    private func measureCancellation(_ decoder: ImageDecoder, _ bytes: [UInt8]) throws -> [Double] {
        let whole = try Elapsed.time { _ = try decoder.decode(bytes) }.wall
        var times: [Double] = []
        for round in 0..<count {
            let flag = CancellationFlag()
            let cancelledAt = Atomic<Int>(0)
            let delay = useconds_t(whole / 1e3 * Double(round) / Double(count))
            try withThread {
                usleep(delay)
                cancelledAt.store(Int(nanoseconds(CLOCK_MONOTONIC)), ordering: .sequentiallyConsistent)
                flag.cancel()
            } while: {
                guard (try? decoder.decode(bytes, cancellation: flag)) == nil else { return }
                times.append(
                    nanoseconds(CLOCK_MONOTONIC) - Double(cancelledAt.load(ordering: .sequentiallyConsistent)))
            }
        }
        return times
    }

    /// Runs `other` on another thread while `body` runs, and waits for both.
    private func withThread(_ other: @escaping @Sendable () -> Void, while body: () throws -> Void) throws {
        let isDone = SharedFlag()
        let failure = DetachedThread.start {
            other()
            isDone.set()
        }
        guard failure == nil else { throw Failure(.ioError, "cannot start a thread") }
        try body()
        while !isDone.isSet { sched_yield() }
    }

    private final class SharedFlag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Measures decodes whose shared memory is resident, and decodes after it was returned to the system.
    private func measureIdleSlab(
        _ decoder: ImageDecoder, _ bytes: [UInt8], _ workers: DecodeWorkers
    ) throws -> (usual: [Double], afterIdle: [Double], keptBytes: Int) {
        var (usual, afterIdle): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            _ = try decoder.decode(bytes)
            usual.append(try Elapsed.time { _ = try decoder.decode(bytes) }.wall)
            // The memory is returned three seconds after the last request.
            usleep(3_500_000)
            afterIdle.append(try Elapsed.time { _ = try decoder.decode(bytes) }.wall)
        }
        usleep(3_500_000)
        return (usual, afterIdle, workers.residentSlabBytes)
    }

    /// Measures the memory of the worker after decodes, and after it was idle; the highest of 5 rounds each.
    private func measureIdleMemory(
        _ decoder: ImageDecoder, _ bytes: [UInt8], _ workers: DecodeWorkers
    ) throws -> (decoded: Int, idle: Int) {
        var (decoded, idle) = (0, 0)
        for _ in 0..<5 {
            for _ in 0..<3 { _ = try decoder.decode(bytes) }
            decoded = max(decoded, try largestResidentBytes(of: workers))
            // The memory is returned three seconds after the last request.
            usleep(3_500_000)
            idle = max(idle, try largestResidentBytes(of: workers))
        }
        return (decoded, idle)
    }

    private func largestResidentBytes(of workers: DecodeWorkers) throws -> Int {
        try workers.processIdentifiers.map { try residentBytes(of: $0) }.max() ?? 0
    }

    /// Private memory and mapped files of a process, without shared memory.
    private func residentBytes(of process: Int32) throws -> Int {
        let bytes = try readInput("/proc/\(process)/status", limit: 1 << 20)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("RssAnon:") || $0.hasPrefix("RssFile:") }
            .reduce(0) { sum, line in
                sum
                    + (line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
                        ?? 0)
                    * 1024
            }
    }
}
