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
    @Suite struct SystemCallFaultTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let name: String
            let action: Int32
            /// Number of consecutive calls that fail; -1 means the first failing call and all later calls.
            let times: Int

            init(_ name: String, _ action: Int32, times: Int = 1) {
                self.name = name
                self.action = action
                self.times = times
            }

            var testDescription: String { times < 0 ? "\(name) from there on" : "\(name) x \(times)" }
        }

        static let rows = [
            Row("EIO", EIO), Row("EIO", EIO, times: -1), Row("ENOSPC", ENOSPC), Row("ENOSPC", ENOSPC, times: -1),
            Row("EROFS", EROFS, times: -1), Row("EACCES", EACCES), Row("EMFILE", EMFILE, times: 6),
            Row("EINTR", EINTR), Row("EINTR", EINTR, times: 5), Row("short", FaultShim.short),
            Row("short", FaultShim.short, times: -1), Row("ENOENT", ENOENT), Row("ESTALE", ESTALE, times: -1),
        ]

        /// In each run, a different system call of the cache operations fails (open, read, pwrite, rename, ftruncate,
        /// ...).
        @Test(arguments: rows)
        func failureOfAnySystemCallOfAnOpenCacheCausesAtMostAMiss(_ row: Row) async throws {
            try await failEachCall(row, scenario: 0, most: 0, atLeast: 70)
        }

        @Test(arguments: [rows[0], rows[1], rows[2], rows[6], rows[10]])
        func failureOfAnySystemCallWhileTheCacheOpensCausesAtMostAMiss(_ row: Row) async throws {
            try await failEachCall(row, scenario: 1, most: 40, atLeast: 30)
        }

        /// Runs with a fault at each of the first calls, then at calls with growing distances, because the cache makes
        /// thousands of similar calls while it lists its 256 folders.
        @Test(arguments: [rows[0], rows[1], rows[7]])
        func failureOfASystemCallDuringClearOrTrimOrVerifyCausesAtMostAMiss(_ row: Row) async throws {
            try await failEachCall(row, scenario: 2, most: 40, atLeast: 30)
        }

        /// A short transfer or a single EINTR must not cause a miss. In runs with one of these faults, the probe exits
        /// with status 4 when an entry is missing.
        private func failEachCall(_ row: Row, scenario: Int, most: Int, atLeast: Int) async throws {
            let folder = try FaultFolder()

            let lines = try await DiskFaults.run(
                folder, .faultAtEachCall, Int(row.action), row.times, scenario, most,
                environment: ["LD_PRELOAD": try FaultPreload.shim])

            let runs = try #require(DiskFaults.number("runs", in: lines))
            #expect(runs >= atLeast)
        }

        @Test(arguments: [20, 200, 800])
        func readsReturnNoWrongBytesDespiteRandomSystemCallFailures(permille: Int) async throws {
            let folder = try FaultFolder()
            let seed = Int(FaultSeed.of("chance \(permille)") % 1_000_000)
            DiskFaults.store(0..<40, version: 1, in: DiskCache(directory: folder.path))

            let lines = try await DiskFaults.run(
                folder, .randomFaults, seed, permille, 400, 40, environment: ["LD_PRELOAD": try FaultPreload.shim])

            let failed = try #require(DiskFaults.number("failed", in: lines))
            #expect(failed > 10)
            #expect(DiskFaults.number("bad", in: lines) == 0)
            let kept = await DiskFaults.expectSound(folder, 0..<40)
            #expect(DiskFaults.number("found", in: lines).map { $0 <= kept.count } == true)
        }

        @Test func shortageOfFileDescriptorsInManyThreadsRemovesNoCacheEntry() async throws {
            let folder = try FaultFolder()
            DiskFaults.store(0..<30, version: 1, in: DiskCache(directory: folder.path))

            let lines = try await DiskFaults.run(folder, .descriptors, 16, 30, 64)

            let faults = try #require(DiskFaults.number("faults", in: lines))
            #expect(faults > 0)
            #expect(DiskFaults.number("found", in: lines) == 30)
        }
    }
}
#endif
