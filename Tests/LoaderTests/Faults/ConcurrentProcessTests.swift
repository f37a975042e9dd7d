#if os(Linux)
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension DiskFaults {
    @Suite struct ConcurrentProcessTests {
        private let limit = 200_000

        @Test func twoProcessesWithRandomOperationsNeverReadAnEntryMixedFromTwoStores() async throws {
            let folder = try FaultFolder()
            let seed = Int(FaultSeed.of("two processes") % 1_000_000)
            let operations = Int(FaultSeed.seconds * 600)

            async let first = DiskFaults.run(folder, .churnAndSweep, seed, operations, 60, limit)
            async let second = DiskFaults.run(folder, .churnAndSweep, seed + 1, operations, 60, limit)
            let hits = try await [first, second].map { DiskFaults.number("hits", in: $0) ?? 0 }

            #expect(hits.allSatisfy { $0 > operations / 20 }, "\(hits)")
            _ = await DiskFaults.expectSound(folder, 0..<60)
            let cache = DiskCache(directory: folder.path, maxBytes: limit)
            await cache.flush()
            let bytes = cache.statistics.bytes
            #expect(bytes <= limit)
        }

        @Test func processStoppedBySIGSTOPDoesNotBlockOtherProcesses() async throws {
            let folder = try FaultFolder()
            var random = Random(seed: FaultSeed.of("stopped neighbour"))
            for _ in 0..<4 {
                let neighbour = try DiskFaults.start(folder, .sweep, limit, 1_000_000, 30)
                let lines = random.next() % 40
                try await offPool {
                    for _ in 0...lines { _ = neighbour.line() }
                    neighbour.send(SIGSTOP)
                }

                _ = try await DiskFaults.run(folder, .churnAndSweep, Int(random.next() % 1_000_000), 150, 30, limit)

                neighbour.send(SIGCONT)
                let (goesOn, status) = try await offPool {
                    let goesOn = (0..<100).allSatisfy { _ in neighbour.line() != nil }
                    neighbour.send(SIGKILL)
                    return (goesOn, neighbour.wait())
                }
                #expect(goesOn)
                #expect(status == -SIGKILL)
                _ = await DiskFaults.expectSound(folder, 0..<30)
            }
        }

        @Test func storesSucceedWhileTheSweepLockIsHeldAndTheLimitIsEnforcedAfterItsRelease() async throws {
            let folder = try FaultFolder()
            let cache = DiskCache(directory: folder.path, maxBytes: limit)
            await cache.flush()
            let lock = open(folder.path + "/sweep.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)

            for number in 0..<200 {
                cache.store(Oracle.entry(number, version: 1), body: Oracle.body(number, version: 1))
            }
            let kept = DiskFaults.readAndCheck(0..<200, of: cache)
            await cache.flush()
            let under = cache.statistics.bytes
            close(lock)
            await cache.flush()
            let after = cache.statistics.bytes

            #expect(kept.count > 20)
            #expect(under <= limit * 3 / 2)
            #expect(after <= limit)
        }

        @Test func killedSweepingProcessReleasesTheSweepLock() async throws {
            let folder = try FaultFolder()
            var random = Random(seed: FaultSeed.of("killed sweeper"))
            for _ in 0..<8 {
                let sweeper = try DiskFaults.start(folder, .sweep, limit, 1_000_000, 200)
                let lines = 16 + random.next() % 60
                let microseconds = useconds_t(random.next() % 3_000)
                try await offPool {
                    for _ in 0...lines { _ = sweeper.line() }
                    usleep(microseconds)
                    sweeper.send(SIGKILL)
                    _ = sweeper.wait()
                }
            }

            let cache = DiskCache(directory: folder.path)
            await cache.flush()
            let before = cache.statistics.bytes
            let report = await cache.trim(toBytes: before / 3)
            let after = cache.statistics.bytes

            #expect(report.count > 0)
            #expect(after <= before / 3)
            _ = await DiskFaults.expectSound(folder, 0..<200)
        }

        @Test func purgesDuringStoresOfAnotherProcessLeaveOnlyCompleteEntries() async throws {
            let folder = try FaultFolder()
            let seed = Int(FaultSeed.of("purge under load") % 1_000_000)

            // The worker has no limit of operations and its output is read until the end, so it runs until it is
            // killed.
            let worker = try DiskFaults.start(folder, .churn, seed, .max, 40)
            try await offPool { for _ in 0..<60 { _ = worker.line() } }
            async let end = offPool { worker.remainingLines().last { $0.hasPrefix("wrong") } }
            defer { worker.send(SIGKILL) }

            let purges = try await DiskFaults.run(folder, .purge, 40)
            worker.send(SIGKILL)
            let wrong = try await end
            #expect(wrong == nil)
            #expect(worker.wait() == -SIGKILL)

            let removed = purges.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
            #expect(removed > 0)
            _ = await DiskFaults.expectSound(folder, 0..<40)
            _ = await DiskCache(directory: folder.path).purge()
            let left = folder.files.filter { $0 != "sweep.lock" }
            #expect(left == [])
        }
    }
}
#endif
