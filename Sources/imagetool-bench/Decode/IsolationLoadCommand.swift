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
            The killed process is a random child of this process, which can be idle, busy or starting, at a random \
            moment. Only a request whose worker was killed may fail, with the error crashed(SIGKILL), or with \
            workerUnavailable(system) after the ends of at least four idle or starting workers. Exit code 1 when \
            there are more failures than kills, an image differs, or descriptors, shared memory, processes, zombies or \
            bytes of the budget remain at the end, with all workers alive or after their end.
            """,
        shouldDisplay: false)

    @Argument(help: "Image files.") var files: [String]
    @Option(help: "Seconds of load.") var seconds = 60
    @Option(help: "Average number of milliseconds between two kills.") var interval = 50
    @Option(help: "Ends the load after this number of kills. (default: none)") var kills: Int?
    @Option(help: "Concurrent decodes.") var threads = 4
    @Option(help: "Path of imagetool-decoder; by default beside this program.") var decoder: String?

    func validate() throws {
        guard (1...86_400).contains(seconds), (1...60_000).contains(interval), (1...64).contains(threads) else {
            throw ValidationError("--seconds must be 1 to 86400, --interval 1 to 60000, --threads 1 to 64.")
        }
        if let kills, kills < 1 { throw ValidationError("--kills must be 1 or more.") }
    }

    /// Resources of this process.
    private struct Resources: Equatable, CustomStringConvertible {
        /// Open descriptors without timers.
        var descriptors: Int
        var memfds: Int
        /// Child processes, zombies included.
        var children: Int
        var zombies: Int
        var alive: Int
        var busy: Int
        var budgetBytes: Int

        var description: String {
            "\(descriptors) descriptors, \(memfds) memfds, \(children) children, \(zombies) zombies, \(alive) workers, "
                + "\(busy) busy, \(budgetBytes) bytes of the budget"
        }
    }

    func run() async throws {
        let output = try Output()
        let inputs = try files.map { try readInput($0, limit: 1 << 30) }
        let expected = try inputs.map { bytes in
            DecodeLoad.Expected(
                image: try ImageDecoder().decode(bytes).bitmap,
                thumbnail: try ImageDecoder().thumbnail(of: bytes, options: DecodeLoad.size).bitmap,
                frame: try ImageDecoder().frames(of: bytes).next()?.bitmap)
        }
        let queue = DecodeQueue(width: threads)
        // The threads of this program are started.
        for bytes in inputs { _ = try await queue.decode(bytes, with: ImageDecoder()) }
        let idle = try resources(nil, queue)
        let load = try await load(inputs, expected, queue, output)
        // The workers are released.
        let ended = try await settled(nil, queue, expected: idle)
        let (result, kills) = (load.counts, load.kills)
        let failures = result.failures.values.reduce(0, +)
        let names = result.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let reasons = load.statistics.endedWorkers.sorted { $0.key.rawValue < $1.key.rawValue }
        try output.write(
            """
            without workers, before: \(idle)
            without workers, after:  \(ended)
            \(result.successes) images, \(result.differences) differ; \(kills) kills, \(failures) failures\
            \(names.isEmpty ? "" : ": " + names.joined(separator: ", "))
            workers ended: \(reasons.map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", "))

            """)
        var problems: [String] = []
        if result.differences > 0 { problems.append("images differ") }
        let unavailable = result.failures["workerUnavailable(system)"] ?? 0
        if failures + 3 * unavailable > kills { problems.append("more failures than kills") }
        if failures > unavailable + (result.failures["crashed(SIGKILL)"] ?? 0) { problems.append("other errors") }
        if load.after != load.before { problems.append("resources differ") }
        if load.before.children != threads + 1 || load.before.zombies > 0 { problems.append("unexpected processes") }
        if ended != idle { problems.append("resources remain after the end of the workers") }
        if kills == 0 || result.successes == 0 { problems.append("no kill or no image") }
        if let wanted = self.kills, kills < wanted { problems.append("fewer kills than requested") }
        for problem in problems { printError("isolation-load: \(problem)") }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    private struct LoadResult {
        var before: Resources
        var after: Resources
        var counts: SharedCounts.Counts
        var kills: Int
        var statistics: DecodeWorkers.Statistics
    }

    private func load(
        _ inputs: [[UInt8]], _ expected: [DecodeLoad.Expected], _ queue: DecodeQueue, _ output: Output
    ) async throws -> LoadResult {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = threads
        // Every file leads to many kills here.
        configuration.refusalTime = .zero
        let workers = try DecodeWorkers(configuration)
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(workers)
        for bytes in inputs { _ = try await queue.decode(bytes, with: isolated) }
        let before = try await settled(workers, queue)
        try output.write("before: \(before)\n")

        let end = ContinuousClock.now + .seconds(seconds)
        let counts = SharedCounts()
        let killer = Killer()
        killer.start(interval: interval, maxCount: kills ?? .max, until: end)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                let load = DecodeLoad(
                    inputs: inputs, expected: expected, decoder: isolated, queue: queue, counts: counts)
                group.addTask { await load.run(first: thread) { killer.isEnded } }
            }
        }
        let kills = killer.wait()
        let after = try await settled(workers, queue)
        try output.write("after:  \(after)\n")
        let statistics = workers.statistics
        workers.end()
        return LoadResult(
            before: before, after: after, counts: counts.stored.withLock { $0 }, kills: kills, statistics: statistics)
    }

    /// The resources after all workers have started and no request runs, or after all have ended; those of the last
    /// moment if this needs more than 10 seconds.
    ///
    /// - Parameter expected: The resources without workers; nil with workers.
    private func settled(
        _ workers: DecodeWorkers?, _ queue: DecodeQueue, expected: Resources? = nil
    ) async throws -> Resources {
        let limit = ContinuousClock.now + .seconds(10)
        var (last, repeats) = (try resources(workers, queue), 0)
        while repeats < 20, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(25))
            let now = try resources(workers, queue)
            let isSettled =
                expected.map { now == $0 } ?? (now.alive == threads + 1 && now.zombies == 0 && now.busy == 0)
            repeats = now == last && isSettled ? repeats + 1 : 0
            last = now
        }
        return last
    }

    private func resources(_ workers: DecodeWorkers?, _ queue: DecodeQueue) throws -> Resources {
        var (descriptors, memfds) = (0, 0)
        for number in 0..<Int32(4096) where fcntl(number, F_GETFD) >= 0 {
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            let name = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            // Dispatch opens its timers when it needs them first.
            if name.starts(with: Array("anon_inode:[timerfd]".utf8)) { continue }
            descriptors += 1
            if name.starts(with: Array("/memfd:".utf8)) { memfds += 1 }
        }
        let statistics = workers?.statistics
        let children = ChildProcesses.all()
        return Resources(
            descriptors: descriptors, memfds: memfds, children: children.count,
            zombies: children.filter(ChildProcesses.isZombie).count, alive: statistics?.aliveWorkers ?? 0,
            busy: statistics?.busyWorkers ?? 0, budgetBytes: queue.budget.grantedBytes)
    }
}

/// The child processes of this process, zombies included.
private enum ChildProcesses {
    static func all() -> [Int32] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var processes: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.first != ".", let list = try? readInput("/proc/self/task/\(name)/children", limit: 1 << 20)
            else { continue }
            processes += list.split(separator: UInt8(ascii: " ")).compactMap {
                Int32(String(decoding: $0, as: UTF8.self))
            }
        }
        return processes
    }

    static func isZombie(_ process: Int32) -> Bool {
        guard let text = try? readInput("/proc/\(process)/stat", limit: 1 << 16),
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return false }
        return text[end...].dropFirst(2).first == UInt8(ascii: "Z")
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

    func run(first: Int, until isEnded: @Sendable () -> Bool) async {
        var number = first
        while !isEnded() {
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

/// Kills a random child of this process at random moments.
private final class Killer: Sendable {
    private let count = Atomic(0)
    private let hasEnded = Atomic(false)
    private let isDone = DispatchSemaphore(value: 0)

    /// True after the last kill.
    var isEnded: Bool { hasEnded.load(ordering: .acquiring) }

    /// - Parameter interval: Average number of milliseconds between two kills.
    func start(interval: Int, maxCount: Int, until end: ContinuousClock.Instant) {
        DispatchQueue.global(qos: .userInteractive).async { [self] in
            var kills = 0
            while ContinuousClock.now < end, kills < maxCount {
                usleep(.random(in: 0...UInt32(interval) * 2000))
                guard let process = ChildProcesses.all().randomElement(), !ChildProcesses.isZombie(process) else {
                    continue
                }
                if kill(process, SIGKILL) == 0 { kills += 1 }
            }
            count.store(kills, ordering: .relaxed)
            hasEnded.store(true, ordering: .releasing)
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
