import Dispatch
import PlatformImage
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `imagetool-bench isolation-load`: decodes in workers while workers are killed.
struct IsolationLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "isolation-load",
        abstract: "Decodes in worker processes while workers are killed, and checks the failures and resources.",
        discussion: """
            Only a request whose worker was killed may fail, with the error crashed(SIGKILL). Exit code 1 when there \
            are more failures than kills, an image differs, or descriptors, shared memory, processes or bytes of the \
            budget remain at the end.
            """,
        shouldDisplay: false)

    @Argument(help: "Image files.") var files: [String]
    @Option(help: "Seconds of load.") var seconds = 60
    @Option(help: "Milliseconds between two kills.") var interval = 50
    @Option(help: "Concurrent decodes.") var threads = 4
    @Option(help: "Path of imagetool-decoder; by default beside this program.") var decoder: String?

    func validate() throws {
        guard (1...86_400).contains(seconds), (1...60_000).contains(interval), (1...64).contains(threads) else {
            throw ValidationError("--seconds must be 1 to 86400, --interval 1 to 60000, --threads 1 to 64.")
        }
    }

    /// Resources of this process.
    private struct Resources: Equatable, CustomStringConvertible {
        var descriptors: Int
        var memfds: Int
        var children: Int
        var alive: Int
        var busy: Int
        var budgetBytes: Int

        var description: String {
            "\(descriptors) descriptors, \(memfds) memfds, \(children) children, \(alive) workers, \(busy) busy, "
                + "\(budgetBytes) bytes of the budget"
        }
    }

    func run() async throws {
        let output = try Output()
        let inputs = try files.map { try readInput($0, limit: 1 << 30) }
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = threads
        let workers = try DecodeWorkers(configuration)
        let queue = DecodeQueue(width: threads)
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(workers)
        let expected = try inputs.map { bytes in
            DecodeLoad.Expected(
                image: try ImageDecoder().decode(bytes).bitmap,
                thumbnail: try ImageDecoder().thumbnail(of: bytes, options: DecodeLoad.size).bitmap,
                frame: try ImageDecoder().frames(of: bytes).next()?.bitmap)
        }
        for bytes in inputs { _ = try await queue.decode(bytes, with: isolated) }
        let before = try await settled(workers, queue)
        try output.write("before: \(before)\n")

        let end = ContinuousClock.now + .seconds(seconds)
        let counts = SharedCounts()
        let killer = Killer()
        killer.start(workers, interval: interval, until: end)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                let load = DecodeLoad(
                    inputs: inputs, expected: expected, decoder: isolated, queue: queue, counts: counts)
                group.addTask { await load.run(first: thread, until: end) }
            }
        }
        let kills = killer.wait()
        let after = try await settled(workers, queue)
        let result = counts.stored.withLock { $0 }
        let failures = result.failures.values.reduce(0, +)
        let names = result.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let ended = workers.statistics.endedWorkers.sorted { $0.key.rawValue < $1.key.rawValue }
        try output.write(
            """
            after:  \(after)
            \(result.successes) images, \(result.differences) differ; \(kills) kills, \(failures) failures\
            \(names.isEmpty ? "" : ": " + names.joined(separator: ", "))
            workers ended: \(ended.map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", "))

            """)
        var problems: [String] = []
        if result.differences > 0 { problems.append("images differ") }
        if failures > kills { problems.append("more failures than kills") }
        if result.failures.keys.contains(where: { $0 != "crashed(SIGKILL)" }) { problems.append("other errors") }
        if after != before { problems.append("resources differ") }
        if kills == 0 || result.successes == 0 { problems.append("no kill or no image") }
        for problem in problems { printError("isolation-load: \(problem)") }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// The resources after all workers have started and no request runs.
    private func settled(_ workers: DecodeWorkers, _ queue: DecodeQueue) async throws -> Resources {
        let limit = ContinuousClock.now + .seconds(10)
        var (last, repeats) = (try resources(workers, queue), 0)
        while repeats < 20, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(25))
            let now = try resources(workers, queue)
            repeats = now == last && now.alive == threads + 1 && now.busy == 0 ? repeats + 1 : 0
            last = now
        }
        return last
    }

    private func resources(_ workers: DecodeWorkers, _ queue: DecodeQueue) throws -> Resources {
        var (descriptors, memfds) = (0, 0)
        for number in 0..<Int32(4096) where fcntl(number, F_GETFD) >= 0 {
            descriptors += 1
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            let name = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            if name.starts(with: Array("/memfd:".utf8)) { memfds += 1 }
        }
        let statistics = workers.statistics
        return Resources(
            descriptors: descriptors, memfds: memfds, children: children(), alive: statistics.aliveWorkers,
            busy: statistics.busyWorkers, budgetBytes: queue.budget.grantedBytes)
    }

    /// Child processes, zombies included.
    private func children() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.first != ".", let list = try? readInput("/proc/self/task/\(name)/children", limit: 1 << 20)
            else { continue }
            count += list.split(separator: UInt8(ascii: " ")).count
        }
        return count
    }
}

/// Counts of all decodes.
private final class SharedCounts: Sendable {
    struct Counts {
        var successes = 0
        var differences = 0
        var failures: [String: Int] = [:]
    }

    let stored = Mutex(Counts())
}

/// The decodes of one of the concurrent tasks.
private struct DecodeLoad: Sendable {
    struct Expected: Sendable {
        let image: Bitmap
        let thumbnail: Bitmap
        let frame: Bitmap?
    }

    private enum Part: CaseIterable { case decode, thumbnail, frame }

    static let size = ThumbnailOptions(width: 100, height: 100)

    let inputs: [[UInt8]]
    let expected: [Expected]
    let decoder: ImageDecoder
    let queue: DecodeQueue
    let counts: SharedCounts

    func run(first: Int, until end: ContinuousClock.Instant) async {
        var number = first
        while ContinuousClock.now < end {
            let part = Part.allCases[number / inputs.count % Part.allCases.count]
            do throws(DecodeError) {
                let isEqual = try await isEqual(part, number % inputs.count)
                counts.stored.withLock {
                    $0.successes += 1
                    if !isEqual { $0.differences += 1 }
                }
            } catch {
                let name = "\(error.code)\(error.detail.map { "(\($0))" } ?? "")"
                counts.stored.withLock { $0.failures[name, default: 0] += 1 }
            }
            number += 1
        }
    }

    private func isEqual(_ part: Part, _ index: Int) async throws(DecodeError) -> Bool {
        let bytes = inputs[index]
        switch part {
        case .decode: return try await queue.decode(bytes, with: decoder).bitmap == expected[index].image
        case .thumbnail:
            return try await queue.thumbnail(of: bytes, options: Self.size, with: decoder).bitmap
                == expected[index].thumbnail
        case .frame: return try decoder.frames(of: bytes).next()?.bitmap == expected[index].frame
        }
    }
}

/// Kills a worker at a fixed interval.
private final class Killer: Sendable {
    private let count = Atomic(0)
    private let isDone = DispatchSemaphore(value: 0)

    func start(_ workers: DecodeWorkers, interval: Int, until end: ContinuousClock.Instant) {
        DispatchQueue.global(qos: .userInteractive).async { [self] in
            var number = 0
            while ContinuousClock.now < end {
                usleep(UInt32(interval) * 1000)
                let processes = workers.processIdentifiers
                guard !processes.isEmpty else { continue }
                number += 7
                if kill(processes[number % processes.count], SIGKILL) == 0 { count.add(1, ordering: .relaxed) }
            }
            isDone.signal()
        }
    }

    /// Waits for the end.
    ///
    /// - Returns: The number of kills.
    func wait() -> Int {
        isDone.wait()
        return count.load(ordering: .relaxed)
    }
}
