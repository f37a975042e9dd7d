#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct MemoryPressureTests {
    private static let own = "sys/fs/cgroup/a/b"
    private static let noStalls = "/nonexistent/memory"

    /// `files`, and the `/proc` files of a process that is in the cgroup `/a/b` (cgroup version 2).
    private static func tree(_ files: [String: String]) throws -> SystemTree {
        let tree = try SystemTree(files)
        try tree.write("0::/a/b\n", to: "proc/self/cgroup")
        try tree.write(SystemTree.unified, to: "proc/self/mountinfo")
        return tree
    }

    private static func counters(high: Int = 0, max: Int = 0, oom: Int = 0) -> String {
        "low 0\nhigh \(high)\nmax \(max)\noom \(oom)\noom_kill 0\noom_group_kill 0\n"
    }

    /// A watcher of the files in `tree`, and an iterator over its events. `quiet` is the minimum interval between two
    /// events.
    private static func watcher(
        _ tree: SystemTree, quiet: Duration = .zero
    ) throws -> (MemoryPressureWatcher, AsyncStream<MemoryPressureEvent>.Iterator) {
        let (events, continuation) = AsyncStream.makeStream(of: MemoryPressureEvent.self)
        let watcher = try MemoryPressureWatcher(
            sources: [.cgroupEvents], stall: .zero, window: quiet, stallFile: noStalls, root: tree.root
        ) { continuation.yield($0) }
        return (watcher, events.makeAsyncIterator())
    }

    private static func event(high: Int = 0, max: Int = 0, oom: Int = 0) -> MemoryPressureEvent {
        MemoryPressureEvent(.cgroupEvents, MemoryEventCounters(high: high, max: max, oom: oom))
    }

    // Counters of a cgroup. The tests use regular files: inotify reports their changes in the same way as changes of
    // the kernel's `memory.events`.

    @Test(.timeLimit(.minutes(30))) func risingCountersAreReportedWithTheirIncrease() async throws {
        let file = "\(Self.own)/memory.events.local"
        let tree = try Self.tree([file: Self.counters(high: 5, max: 6, oom: 7)])
        var (watcher, events) = try Self.watcher(tree)

        try tree.write(Self.counters(high: 6, max: 6, oom: 7), to: file)
        let first = try #require(await events.next())
        #expect(first.source == .cgroupEvents && watcher.source == .cgroupEvents)
        #expect(first.highCount == 1 && first.maxCount == 0 && first.oomCount == 0)
        try tree.write(Self.counters(high: 6, max: 10, oom: 7), to: file)
        #expect(await events.next() == Self.event(max: 4))
        try tree.write(Self.counters(high: 6, max: 10, oom: 8), to: file)
        #expect(await events.next() == Self.event(oom: 1))
        try tree.write(Self.counters(high: 16, max: 20, oom: 18), to: file)
        #expect(await events.next() == Self.event(high: 10, max: 10, oom: 10))
    }

    /// Writes invalid text or counters without an increase, then counters with an increase. The first event must
    /// report the second write.
    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            "", "\n", "high", "high \n", "high -1\n", "high 9 9\n", "high  9\n", "high 9223372036854775808\n",
            "high 0x9\n",
            "HIGH 9\n", "highest 9\n", "low 9\n", "oom_kill 9\n", "high 1\nmax 1\noom 1\n", "high 0\nmax 0\noom 0\n",
            "\0\0\0",
            String(repeating: "x", count: 100_000),
        ])
    func invalidOrUnchangedCountersAreNotReported(_ text: String) async throws {
        let file = "\(Self.own)/memory.events.local"
        let tree = try Self.tree([file: Self.counters(high: 1, max: 1, oom: 1)])
        var (watcher, events) = try Self.watcher(tree)

        try tree.write(text, to: file)
        try tree.write(Self.counters(high: 3, max: 1, oom: 1), to: file)

        let high = try #require(await events.next()).highCount
        // The increase is 3 if the watcher read `high 0` before the second write, otherwise 2.
        #expect(high == 2 || high == 3 && text.contains("high 0\n"))
        watcher.stop()
    }

    @Test func invalidMemoryEventLinesKeepThePreviousCounterValues() {
        let table: [(text: String, counters: MemoryEventCounters)] = [
            ("high 4\nmax 5\noom 6\n", MemoryEventCounters(high: 4, max: 5, oom: 6)),
            ("oom 6\nnew 9\nhigh 4", MemoryEventCounters(high: 4, max: 2, oom: 6)),
            ("high 4\nmax x\noom 6\n", MemoryEventCounters(high: 4, max: 2, oom: 6)),
            ("high 9223372036854775807\n", MemoryEventCounters(high: .max, max: 2, oom: 3)),
            ("high 18446744073709551615\n", MemoryEventCounters(high: 1, max: 2, oom: 3)),
            ("garbage", MemoryEventCounters(high: 1, max: 2, oom: 3)),
        ]
        for (text, expected) in table {
            var counters = MemoryEventCounters(high: 1, max: 2, oom: 3)
            counters.update(from: Array(text.utf8))
            #expect(counters == expected, "\(text)")
        }
    }

    @Test func overflowingSumsOfCountersSaturate() {
        var sum = MemoryEventCounters(high: .max, max: 1)
        sum += MemoryEventCounters(high: .max, max: 2, oom: 3)
        #expect(sum == MemoryEventCounters(high: .max, max: 3, oom: 3))
        #expect(MemoryEventCounters().increase(since: sum).isZero)
    }

    /// The limits of all ancestor cgroups apply to this process, so each of them is watched. `memory.events` also
    /// counts events of descendant cgroups, so `memory.events.local` is used instead.
    @Test(.timeLimit(.minutes(30)), arguments: ["sys/fs/cgroup", "sys/fs/cgroup/a", own])
    func everyCgroupLevelIsWatchedForItsLocalEvents(_ folder: String) async throws {
        let folders = ["sys/fs/cgroup", "sys/fs/cgroup/a", Self.own]
        let files = folders.flatMap { ["\($0)/memory.events", "\($0)/memory.events.local"] }
        let tree = try Self.tree(Dictionary(uniqueKeysWithValues: files.map { ($0, Self.counters()) }))
        var (watcher, events) = try Self.watcher(tree)

        try tree.write(Self.counters(max: 100), to: "\(folder)/memory.events")
        try tree.write(Self.counters(max: 3), to: "\(folder)/memory.events.local")

        #expect(await events.next() == Self.event(max: 3))
        watcher.stop()
    }

    @Test(.timeLimit(.minutes(30))) func memoryEventsFileIsWatchedWhenMemoryEventsLocalIsMissing() async throws {
        let tree = try Self.tree(["\(Self.own)/memory.events": Self.counters()])
        var (watcher, events) = try Self.watcher(tree)

        try tree.write(Self.counters(high: 1), to: "\(Self.own)/memory.events")

        #expect(await events.next() == Self.event(high: 1))
        watcher.stop()
    }

    @Test(.timeLimit(.minutes(30))) func removingAWatchedFileKeepsAllOtherFilesWatched() async throws {
        let parent = "sys/fs/cgroup/a/memory.events.local"
        let tree = try Self.tree(["\(Self.own)/memory.events.local": Self.counters(), parent: Self.counters()])
        var (watcher, events) = try Self.watcher(tree)

        try tree.remove(Self.own)
        try tree.write(Self.counters(oom: 2), to: parent)

        #expect(await events.next() == Self.event(oom: 2))
        watcher.stop()
    }

    /// Without a minimum interval between events (`window`), the second increase would almost always be reported before
    /// the watcher stops.
    @Test(.timeLimit(.minutes(30))) func cgroupEventsAreReportedAtMostOncePerWindow() async throws {
        let file = "\(Self.own)/memory.events.local"
        let tree = try Self.tree([file: Self.counters()])
        let count = Locked(0)
        let reports = AsyncStream.makeStream(of: Void.self)
        let released = AsyncStream.makeStream(of: Void.self)
        var token: Token? = Token { released.continuation.finish() }
        let watcher = try MemoryPressureWatcher(
            sources: [.cgroupEvents], stall: .zero, window: .seconds(600), stallFile: Self.noStalls, root: tree.root
        ) { [token] _ in
            _ = token
            count.update { $0 += 1 }
            reports.continuation.yield()
        }
        token = nil

        try tree.write(Self.counters(max: 1), to: file)
        for await _ in reports.stream { break }
        for high in 1...50 { try tree.write(Self.counters(high: high, max: 1), to: file) }
        watcher.stop()

        for await _ in released.stream {}
        #expect(count.value == 1)
    }

    @Test(.timeLimit(.minutes(30))) func memoryPressureEventEvictsCacheEntries() async throws {
        let file = "\(Self.own)/memory.events.local"
        let tree = try Self.tree([file: Self.counters()])
        let relieved = AsyncStream.makeStream(of: Void.self)
        let cache = MemoryCache<Int, Int>(maxBytes: 100)
        for key in 0..<10 { cache.insert(key, for: key, cost: 10) }
        let watcher = try MemoryPressureWatcher(
            sources: [.cgroupEvents], stall: .zero, window: .zero, stallFile: Self.noStalls, root: tree.root
        ) { _ in
            cache.relieveMemoryPressure(to: 0.5)
            relieved.continuation.finish()
        }

        try tree.write(Self.counters(high: 1), to: file)

        for await _ in relieved.stream {}
        #expect(cache.totalBytes == 50 && cache.peek(9) == 9)
        watcher.stop()
    }

    // Tests of the start and the end of the watcher's thread.

    /// Calls `onRelease` when it is released.
    final class Token: Sendable {
        private let onRelease: @Sendable () -> Void
        init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
        deinit { onRelease() }
    }

    enum Ending: CaseIterable { case stopped, stoppedTwice, released, stoppedByItself }

    /// The thread releases the closure when the thread ends; if the thread did not end, this test would time out.
    @Test(.timeLimit(.minutes(30)), arguments: Ending.allCases)
    func stoppingTheWatcherEndsItsThreadAndReleasesTheClosure(_ ending: Ending) async throws {
        let file = "\(Self.own)/memory.events.local"
        let tree = try Self.tree([file: Self.counters()])
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        var token: Token? = Token { continuation.finish() }
        let itself = Locked<MemoryPressureWatcher?>(nil)
        var watcher: MemoryPressureWatcher? = try MemoryPressureWatcher(
            sources: [.cgroupEvents], stall: .zero, window: .zero, stallFile: Self.noStalls, root: tree.root
        ) { [token] _ in
            _ = token
            itself.value?.stop()
        }
        token = nil

        switch ending {
        case .stopped: watcher?.stop()
        case .stoppedTwice:
            watcher?.stop()
            watcher?.stop()
        case .released: watcher = nil
        case .stoppedByItself:
            itself.update { $0 = watcher }
            try tree.write(Self.counters(high: 1), to: file)
        }

        for await _ in released {}
        watcher = nil
        itself.update { $0 = nil }
    }

    /// Runs in a dedicated process, because other tests open descriptors and start threads too.
    @Test func stoppedWatchersLeaveNoFileDescriptorsAndNoThreads() async {
        await #expect(processExitsWith: .success) {
            let tree = try MemoryPressureTests.tree(["sys/fs/cgroup/a/b/memory.events": "high 0\n"])
            func names(_ folder: String) -> Set<String> {
                Set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")) ?? [])
            }
            // Counts inotify and pipe descriptors, which a watcher opens. The runtime may open others at any time.
            func descriptors() -> Int {
                let folder = "/proc/self/fd"
                return names("fd").count { name in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                    return target == "anon_inode:inotify" || target?.hasPrefix("pipe:") == true
                }
            }
            let (before, others) = (descriptors(), names("task"))
            var watchers: [MemoryPressureWatcher] = []
            for _ in 0..<40 { watchers.append(try MemoryPressureTests.watcher(tree).0) }
            // Threads of the runtime may start and end during the test.
            let threads = names("task").subtracting(others)
            precondition(descriptors() == before + 3 * 40 && threads.count >= 40)

            watchers.prefix(20).forEach { $0.stop() }
            watchers = []

            // A thread disappears some microseconds after it ends. If a thread remains, the test fails at the deadline.
            let deadline = ContinuousClock.now + .seconds(1_500)
            while descriptors() != before || names("task").intersection(threads).count >= 20 {
                precondition(ContinuousClock.now < deadline, "open descriptors or running threads remain")
                sched_yield()
            }
        }
    }

    /// Starts a watcher with 0, 1, 2 and 3 free descriptors. With less than 3 the initializer throws and closes the
    /// descriptors that it has opened; otherwise the last start would fail.
    @Test func startWithTooFewFileDescriptorsThrowsAndLeaksNone() async {
        await #expect(processExitsWith: .success) {
            let tree = try MemoryPressureTests.tree(["sys/fs/cgroup/a/b/memory.events": "high 0\n"])
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            let before = limits.rlim_cur
            // Uses all gaps between open descriptors, so that all numbers from `lowestFree` on are free.
            let lowestFree = (0..<64).map { _ in open("/dev/null", O_RDONLY) }[63] + 1
            var outcomes: [String] = []
            for free in 0...3 {
                limits.rlim_cur = rlim_t(Int(lowestFree) + free)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
                let outcome = Result { try MemoryPressureTests.watcher(tree).0 }
                switch outcome {
                case .success: outcomes.append("watched")
                case .failure(let error as MemoryPressureError): outcomes.append(error.code.description)
                case .failure(let error): outcomes.append("\(error)")
                }
            }
            limits.rlim_cur = before  // deleting the tree needs descriptors
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            // With 0 free descriptors no file can be opened; with 1, inotify uses it and the counters cannot be read;
            // with 2, one end of the pipe is missing; 3 are enough.
            precondition(outcomes == ["noSource", "noSource", "noResources", "watched"], "\(outcomes)")
            withExtendedLifetime(tree) {}
        }
    }

    // Tests with the real files of the kernel.

    /// Uses a window of 2 s with the lowest threshold. A mapped file is paged out and read again, so that the process
    /// waits for the pages of the file; the kernel counts this wait as a stall.
    @Test(.enabled(if: canWatchStalls, "this kernel has no pressure stall information"), .timeLimit(.minutes(30)))
    func memoryStallOfTheTestProcessIsReported() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: MemoryPressureEvent.self)
        let isReported = Locked(false)
        let watcher = try MemoryPressureWatcher(sources: [.systemStalls], stall: .microseconds(1)) {
            isReported.update { $0 = true }
            continuation.yield($0)
        }
        let before = Self.totalStall
        let file = try RereadFile()

        let deadline = ContinuousClock.now + .seconds(20)
        while !isReported.value, ContinuousClock.now < deadline { file.reread() }
        if !isReported.value, Self.totalStall == before { try Test.cancel("no page had to be waited for here") }

        var iterator = events.makeAsyncIterator()
        let event = try #require(await iterator.next())
        #expect(event == MemoryPressureEvent(.systemStalls) && event.source == watcher.source)
        #expect(event.highCount == 0 && event.maxCount == 0 && event.oomCount == 0)
    }

    /// The kernel rejects a threshold of 0. The public initializer traps for 0, so the test calls the internal
    /// initializer.
    @Test(.enabled(if: canWatchStalls, "this kernel has no pressure stall information"))
    func stallThresholdRefusedByTheKernelThrows() throws {
        do {
            _ = try MemoryPressureWatcher(
                sources: [.systemStalls], stall: .zero, window: .seconds(2), stallFile: Self.stallFile, root: ""
            ) { _ in }
            Issue.record("a threshold of 0 was accepted")
        } catch {
            let message = try #require(error.attempts.first?.message)
            #expect(message == "/proc/pressure/memory: writing \"some 0 2000000\" failed: Invalid argument")
        }
    }

    private static let stallFile = "/proc/pressure/memory"
    static let canWatchStalls = (try? MemoryPressureWatcher(sources: [.systemStalls]) { _ in }) != nil

    /// Total stall time since the system started, in microseconds.
    private static var totalStall: Substring? {
        (try? String(contentsOfFile: stallFile, encoding: .utf8))?.split(separator: "\n").first?
            .split(separator: "=").last
    }

    /// Creates a cgroup with a limit of 4 MiB; a process in it writes 32 MiB through the page cache.
    @Test(
        .enabled(if: cgroupParent != nil, "no cgroup of version 2 with the memory controller can be made here"),
        .timeLimit(.minutes(30)))
    func cgroupThatExceedsItsMemoryLimitIsReported() async throws {
        let cgroup = "\(try #require(Self.cgroupParent))/platformimage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: cgroup, withIntermediateDirectories: false)
        defer { rmdir(cgroup) }
        try "4M".write(toFile: "\(cgroup)/memory.high", atomically: false, encoding: .utf8)
        let tree = try SystemTree([
            "proc/self/cgroup": "0::/own\n", "proc/self/mountinfo": "1 1 0:1 /own /cgroup rw - cgroup2 cgroup2 rw\n",
            "written": "",
        ])
        try FileManager.default.createSymbolicLink(atPath: tree.path("cgroup"), withDestinationPath: cgroup)
        #expect(AvailableMemory(root: tree.root, systemBytes: nil).bytes == 4 << 20)
        var (watcher, events) = try Self.watcher(tree)

        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = [
            "-c", "echo $$ >\(cgroup)/cgroup.procs && exec dd if=/dev/zero of=\(tree.path("written")) bs=1M count=32",
        ]
        writer.standardError = FileHandle.nullDevice
        try writer.run()
        let event = await events.next()
        // Above the limit the kernel throttles the process, so the process could run for minutes.
        kill(writer.processIdentifier, SIGKILL)
        writer.waitUntilExit()
        watcher.stop()

        #expect(try #require(event).highCount > 0)
    }

    /// The nearest cgroup with the memory controller in which this process may create a child cgroup.
    private static var cgroupParent: String? {
        CgroupMemory(root: []).folders.filter { $0.version == .v2 }.map { String(decoding: $0.path, as: UTF8.self) }
            .first { folder in
                let enabled = try? String(contentsOfFile: "\(folder)/cgroup.subtree_control", encoding: .utf8)
                return enabled?.split(whereSeparator: \.isWhitespace).contains("memory") == true
                    && access("\(folder)/cgroup.procs", W_OK) == 0 && access(folder, W_OK) == 0
            }
    }

    // Errors of sources.

    @Test func errorNamesEveryPressureSourceThatFailed() throws {
        let tree = try SystemTree()
        do {
            _ = try MemoryPressureWatcher(
                sources: [.cgroupEvents, .systemStalls], stall: .zero, window: .zero, stallFile: Self.noStalls,
                root: tree.root
            ) { _ in }
            Issue.record("no error although no source is available")
        } catch {
            #expect(error.code == .noSource && error.attempts.map(\.source) == [.cgroupEvents, .systemStalls])
            #expect(error.attempts[0].message == "no cgroup of version 2 is mounted")
            #expect(error.attempts[1].message == "/nonexistent/memory: No such file or directory")
            #expect(error.description.contains(error.attempts[1].message))
        }
    }

    @Test func emptyListOfPressureSourcesThrowsNoSource() {
        #expect(throws: MemoryPressureError(.noSource, "")) { try MemoryPressureWatcher(sources: []) { _ in } }
    }

    /// The folder of the cgroup has no `memory.events`, like the root cgroup and the version 2 folder of a hybrid
    /// system.
    @Test func cgroupWithoutAMemoryEventsFileThrowsNoSource() throws {
        let tree = try Self.tree(["\(Self.own)/cgroup.procs": ""])
        #expect(throws: MemoryPressureError(.noSource, "")) { try Self.watcher(tree) }
    }

    @Test func watcherWithAnUnavailablePressureSourceUsesTheNextOne() throws {
        let tree = try Self.tree(["\(Self.own)/memory.events": Self.counters()])
        let watcher = try MemoryPressureWatcher(
            sources: [.systemStalls, .cgroupEvents], stall: .zero, window: .zero, stallFile: Self.noStalls,
            root: tree.root
        ) { _ in }
        #expect(watcher.source == .cgroupEvents)
    }

    @Test func pressureWindowsAndStallThresholdsOutOfRangeTrap() async {
        await #expect(processExitsWith: .failure) { _ = try MemoryPressureWatcher(window: .milliseconds(499)) { _ in } }
        await #expect(processExitsWith: .failure) { _ = try MemoryPressureWatcher(window: .seconds(11)) { _ in } }
        await #expect(processExitsWith: .failure) { _ = try MemoryPressureWatcher(stall: .zero) { _ in } }
        await #expect(processExitsWith: .failure) { _ = try MemoryPressureWatcher(stall: .seconds(3)) { _ in } }
    }
}

/// A mapping of a 16 MiB file that can be paged out.
private final class RereadFile {
    private let path = "/var/tmp/platformimage-\(UUID().uuidString)"
    private let pages: UnsafeMutableRawPointer
    private let count = 16 << 20

    init() throws {
        try Data(count: count).write(to: URL(filePath: path))
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        fsync(descriptor)
        let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
        pages = try #require(mapped == MAP_FAILED ? nil : mapped)
    }

    deinit {
        munmap(pages, count)
        unlink(path)
    }

    /// Reads the pages several times, so that they count as working set; only refaults of the working set are stalls.
    func reread() {
        for _ in 0..<3 { touch() }
        madvise(pages, count, 21)  // MADV_PAGEOUT, Linux 5.4
        touch()
    }

    private func touch() {
        var sum: UInt8 = 0
        for offset in stride(from: 0, to: count, by: 4096) {
            sum &+= pages.load(fromByteOffset: offset, as: UInt8.self)
        }
        touched = sum
    }

    private var touched: UInt8 = 0
}
#endif
