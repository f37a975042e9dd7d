#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Synchronization
import Testing

@testable import PlatformImage

/// Workers that other programs or the OOM killer end.
@Suite(.timeLimit(.minutes(5))) struct WorkerEndTests {
    private func decoder(_ workers: DecodeWorkers) -> ImageDecoder {
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        return decoder
    }

    private static let animation = Result { try Fixture.file("gif/disposal-1.gif") }

    /// Waits for a condition; false when it is not met within 60 seconds.
    private func isMet(_ condition: () throws -> Bool) async rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try condition() { return true }
            await Task.yield()
        }
        return try condition()
    }

    /// True when no process with this number is a child: it was waited for.
    private func isReaped(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return status?.contains("PPid:\t\(getpid())\n") != true
    }

    @Test(arguments: [1, 2, 3]) func killedIdleWorkersAreReapedAndReplacedWithoutARequest(_ count: Int) async throws {
        let workers = try TestWorkers.start()
        #expect(await isMet { workers.processIdentifiers.count == 3 })
        for round in 0..<3 {
            let killed = workers.processIdentifiers.prefix(count)
            for process in killed { kill(process, SIGKILL) }
            let areReplaced = await isMet {
                let alive = workers.processIdentifiers
                return alive.count == 3 && killed.allSatisfy { !alive.contains($0) && isReaped($0) }
            }
            #expect(areReplaced, "round \(round): killed \(killed), then \(workers.processIdentifiers)")
        }
        #expect(workers.statistics.endedWorkers == [.killed: 3 * count])
        #expect(workers.statistics.requests == 0)
    }

    @Test func animationAfterTheEndOfAllIdleWorkersIsOpened() async throws {
        let workers = try TestWorkers.start()
        let expected = try ImageDecoder().frames(of: Self.animation.get()).next()?.bitmap
        for _ in 0..<10 {
            #expect(await isMet { workers.processIdentifiers.count == 3 })
            let killed = workers.processIdentifiers
            for process in killed { kill(process, SIGKILL) }
            while !killed.allSatisfy(hasEnded) { await Task.yield() }
            #expect(try decoder(workers).frames(of: Self.animation.get()).next()?.bitmap == expected)
        }
    }

    /// Workers that the test starts, with a closure before each start.
    private func workers(
        width: Int, beforeStart: @escaping @Sendable (_ number: Int) throws(DecodeError) -> Void
    ) throws -> DecodeWorkers {
        var configuration = DecodeWorkers.Configuration()
        configuration.workerCount = width
        let path = TestWorkers.path(of: "imagetool-decoder")
        let checked = configuration
        let starts = Mutex(0)
        return DecodeWorkers(first: try WorkerProcess(executable: path, configuration), configuration) {
            () throws(DecodeError) in
            let number = starts.withLock { starts in
                starts += 1
                return starts
            }
            try beforeStart(number)
            return try WorkerProcess(executable: path, checked)
        }
    }

    /// While the start for an animation lasts, the thread of the supply must not start another worker for requests.
    @Test func animationThatStartsAWorkerLeavesNoSurplusWorker() async throws {
        let mayStart = DispatchSemaphore(value: 0)
        let workers = try workers(width: 0) { (number) throws(DecodeError) in
            if number == 1 { mayStart.wait() }
        }
        let opened = Mutex<WorkerProcess?>(nil)
        let failure = DetachedThread.start {
            let worker = try? workers.supply.acquireSession()
            opened.withLock { $0 = worker }
        }
        #expect(failure == nil)
        // That no other worker is started can only be observed for a limited time, longer than the thread waits.
        let end = ContinuousClock.now + .milliseconds(600)
        while workers.statistics.aliveWorkers == 1, ContinuousClock.now < end { await Task.yield() }
        mayStart.signal()
        #expect(await isMet { opened.withLock { $0 != nil } })
        let worker = try #require(opened.withLock { $0 })
        workers.supply.endSession(worker)
        #expect(workers.statistics.busyWorkers == 0)
        #expect(workers.statistics.aliveWorkers == 1, "only the one that is ready")
    }

    @Test func startOfAWorkerForAnAnimationIsRepeatedWhenTheProcessEnds() async throws {
        let failures = Mutex(0)
        let workers = try workers(width: 0) { (number) throws(DecodeError) in
            guard number < 4 else { return }
            failures.withLock { $0 += 1 }
            throw DecodeError(.workerUnavailable, detail: "system", "a process that ends while it starts")
        }
        #expect(try decoder(workers).frames(of: Self.animation.get()).next() != nil)
        #expect(failures.withLock { $0 } == 3)
    }

    // MARK: Files that lead to kills

    private typealias Operation = (name: String, run: @Sendable (ImageDecoder, [UInt8]) throws -> Void)

    private static let operations: [Operation] = [
        ("header", { _ = try $0.header(of: $1) }), ("decode", { _ = try $0.decode($1) }),
        ("thumbnail", { _ = try $0.thumbnail(of: $1, options: ThumbnailOptions(width: 8)) }),
        ("frames", { _ = try $0.frames(of: $1).next() }), ("metadata", { _ = try $0.metadata(of: $1) }),
    ]

    private func detail(_ operation: Operation, _ decoder: ImageDecoder, _ bytes: [UInt8]) -> String {
        do {
            try operation.run(decoder, bytes)
            return "none"
        } catch let error as DecodeError {
            return error.code == .crashed ? error.detail ?? "" : "\(error)"
        } catch {
            return "\(error)"
        }
    }

    /// The OOM killer sends SIGKILL. A worker that closes its socket is ended by this program.
    @Test(arguments: ["kill", "closeSocket"]) func fileThatEndsTwoWorkersWithSIGKILLIsRefused(_ action: String) throws {
        let clean = try Self.animation.get()
        let planted = clean + Array("planted:\(action);".utf8)
        for first in Self.operations {
            for second in Self.operations {
                let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") { $0.workerCount = 1 }
                let decoder = decoder(workers)
                #expect(detail(first, decoder, planted) == "SIGKILL", "\(first.name)")
                #expect(detail(second, decoder, planted) == "SIGKILL", "\(first.name), \(second.name)")
                #expect(workers.statistics.endedWorkers == [.killed: 2])
                for third in Self.operations { #expect(detail(third, decoder, planted) == "refused") }
                #expect(workers.statistics.endedWorkers == [.killed: 2])
                #expect(workers.statistics.refusedFiles == Self.operations.count)
                for operation in Self.operations { #expect(detail(operation, decoder, clean) == "none") }
            }
        }
    }

    @Test func refusalAfterKillsEndsWithTheConfiguredTime() async throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") {
            $0.workerCount = 1
            $0.refusalTime = .milliseconds(300)
        }
        let planted = try Self.animation.get() + Array("planted:kill;".utf8)
        let decode = Self.operations[1]
        for _ in 0..<2 {
            // A slow machine can need more than the time between two of these decodes.
            #expect(await isMet { detail(decode, decoder(workers), planted) == "refused" })
            #expect(await isMet { detail(decode, decoder(workers), planted) == "SIGKILL" })
        }
    }

    /// Another program kills all workers during a decode, again and again; the decode in between succeeds.
    @Test func fileWhoseDecodesSucceedBetweenKillsIsNotRefused() async throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        let bytes = try Self.animation.get()
        let expected = try ImageDecoder().decode(bytes).bitmap
        for _ in 0..<4 {
            #expect(await isMet { workers.processIdentifiers.count == 2 })
            // Stopped workers answer nothing.
            let stopped = workers.processIdentifiers
            for process in stopped { kill(process, SIGSTOP) }
            let result = Mutex<String?>(nil)
            let failure = DetachedThread.start {
                let detail = detail(Self.operations[1], decoder, bytes)
                result.withLock { $0 = detail }
            }
            #expect(failure == nil)
            #expect(await isMet { workers.statistics.busyWorkers == 1 })
            for process in stopped { kill(process, SIGKILL) }
            // A process with a pending signal can still receive the request of the next decode.
            #expect(await isMet { stopped.allSatisfy(hasEnded) })
            #expect(await isMet { result.withLock { $0 != nil } })
            #expect(["SIGKILL", "none"].contains(result.withLock { $0 } ?? ""))
            #expect(try decoder.decode(bytes).bitmap == expected)
        }
        #expect(workers.statistics.refusedFiles == 0)
    }

    // MARK: Memory

    @Test func workersAreEndedBeforeTheProgramWhenTheSystemHasNoMemory() async throws {
        func score(_ process: String) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let workers = try TestWorkers.start()
        #expect(await isMet { workers.processIdentifiers.count == 3 })
        let own = try score("self")
        for process in workers.processIdentifiers {
            #expect(try score("\(process)") == min(1000, own + 1000))
        }
    }

    @Test func addressSpaceIsAtMostThreeQuartersOfTheMemoryOfTheCgroup() throws {
        let gibibyte = 1 << 30
        let cases: [(configured: Int, limit: Int?, expected: Int)] = [
            (3 * gibibyte, nil, 3 * gibibyte), (3 * gibibyte, 4 * gibibyte, 3 * gibibyte),
            (3 * gibibyte, 2 * gibibyte, gibibyte / 2 * 3), (3 * gibibyte, 512 << 20, 384 << 20),
            (256 << 20, 512 << 20, 256 << 20), (3 * gibibyte, 64 << 20, 64 << 20), (3 * gibibyte, 0, 64 << 20),
            (.max, .max, .max / 4 * 3),
        ]
        for (configured, limit, expected) in cases {
            var configuration = DecodeWorkers.Configuration()
            configuration.addressSpaceBytes = configured
            configuration.limitAddressSpace(cgroupLimit: limit)
            #expect(configuration.addressSpaceBytes == expected, "\(configured) \(limit ?? -1)")
        }
        let workers = try TestWorkers.start { $0.addressSpaceBytes = 1 << 40 }
        let process = try #require(workers.processIdentifiers.first)
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max address space") })
        let value = try #require(line.split(separator: " ").dropFirst(3).first.flatMap { Int($0) })
        #expect(value == min(1 << 40, AvailableMemory().cgroupLimit.map { max(64 << 20, $0 / 4 * 3) } ?? .max))
    }

    /// A worker that cannot map the output has not crashed; it is replaced.
    @Test func outputThatDoesNotFitIntoTheAddressSpaceThrowsLimitExceeded() throws {
        // 9,000 x 9,000 pixels have 324,000,000 bytes; code and heap of a worker need some of the rest.
        let workers = try TestWorkers.start {
            $0.workerCount = 1
            $0.addressSpaceBytes = 325_000_000
        }
        var decoder = decoder(workers)
        decoder.options.limits.maxMemory = nil
        let bomb = try Fixture.file("bad/tiff-bomb-strip-of-9000x9000.tif")
        for _ in 0..<2 {
            let error = #expect(throws: DecodeError.self) { try decoder.decode(bomb) }
            #expect(error?.code == .limitExceeded && error?.detail == "workerMemory", "\(String(describing: error))")
        }
        #expect(workers.statistics.endedWorkers == [.retired: 2])
        #expect(throws: Never.self) { try decoder.decode(Self.animation.get()) }
    }
}
#endif
