#if os(Linux)
import Foundation
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

extension DiskFaults {
    /// Other processes run with a wall clock that libfaketime moves by years.
    @Suite(.enabled(if: FaultPreload.fakeTime != nil, "libfaketime is not installed (Debian: libfaketime)"))
    struct ClockTests {
        private func at(_ time: String) throws -> [String: String] {
            // libfaketime does not change file dates: the cache sets them from its clock and must read the same values.
            [
                "LD_PRELOAD": try #require(FaultPreload.fakeTime), "FAKETIME": time, "NO_FAKE_STAT": "1",
                "FAKE_UTIME": "0", "FAKETIME_DONT_RESET": "1",
            ]
        }

        @Test(arguments: ["1971-01-01 00:00:00", "-20y", "-2d", "+2d", "+20y", "2060-01-01 00:00:00"])
        func entriesOfTwoProcessesWithDifferentClocksAreReadByBothProcesses(time: String) async throws {
            let folder = try FaultFolder()
            DiskFaults.store(0..<10, version: 1, in: DiskCache(directory: folder.path))

            let there = try await DiskFaults.run(folder, .store, 10, 10, 1, environment: try at(time))
            let seen = try await DiskFaults.run(folder, .check, 0, 20, environment: try at(time))

            #expect(there.count == 10 && there.allSatisfy { $0.hasPrefix("done") })
            #expect(DiskFaults.number("found", in: seen) == 20)
            let kept = await DiskFaults.expectSound(folder, 0..<20)
            #expect(kept.count == 20)
        }

        @Test func entriesDatedInTheFutureAreNotCleared() async throws {
            let folder = try FaultFolder()
            DiskFaults.store(0..<10, version: 1, in: DiskCache(directory: folder.path))
            _ = try await DiskFaults.run(folder, .store, 10, 10, 1, environment: try at("+20y"))
            let past = try at("2010-01-01 00:00:00")

            // For a clock in 2010, all modification and creation dates are in the future.
            let modified = try await DiskFaults.run(folder, .clear, 60, 0, environment: past)
            let created = try await DiskFaults.run(folder, .clear, 60, 1, environment: past)
            let here = await DiskCache(directory: folder.path).clear(modifiedOlderThan: .oneDay)

            #expect(DiskFaults.number("removed", in: modified) == 0)
            #expect(DiskFaults.number("removed", in: created) == 0)
            #expect(here.count == 0)
            let kept = await DiskFaults.expectSound(folder, 0..<20)
            #expect(kept.count == 20)
        }

        @Test func clearWithAClock20YearsAheadKeepsOnlyEntriesStoredUnderThatClock() async throws {
            let folder = try FaultFolder()
            DiskFaults.store(0..<10, version: 1, in: DiskCache(directory: folder.path))
            _ = try await DiskFaults.run(folder, .store, 10, 10, 1, environment: try at("+20y"))

            let lines = try await DiskFaults.run(folder, .clear, 86_400, 0, environment: try at("+20y"))

            #expect(DiskFaults.number("removed", in: lines) == 10)
            let kept = await DiskFaults.expectSound(folder, 0..<20)
            #expect(kept == Array(10..<20))
        }

        @Test func readsReturnNoWrongBytesDespiteClockJumpsDuringCacheOperations() async throws {
            let folder = try FaultFolder()
            let clock = try FaultFolder()
            let file = clock.path + "/time"
            let jumps = ["+0", "+10y", "-10y", "+1d", "-1d", "+30y", "+0"]
            try jumps[0].write(toFile: file, atomically: true, encoding: .utf8)
            var environment = try at("+0")
            environment["FAKETIME"] = nil
            environment["FAKETIME_TIMESTAMP_FILE"] = file
            environment["FAKETIME_NO_CACHE"] = "1"
            let seed = Int(FaultSeed.of("clock jumps") % 1_000_000)
            let worker = try Probe(
                [folder.path, Command.churn.rawValue, "\(seed)", "1000000", "20", "150000"], environment: environment)

            let (status, seen) = try await offPool {
                var seen = 0
                while seen < 40 * jumps.count, let line = worker.line() {
                    guard line.hasPrefix("done") else { continue }
                    seen += 1
                    if seen % 40 == 0 {
                        try jumps[seen / 40 % jumps.count].write(toFile: file, atomically: true, encoding: .utf8)
                    }
                }
                worker.send(SIGKILL)
                return (worker.wait(), seen)
            }

            #expect(status == -SIGKILL)
            #expect(seen == 40 * jumps.count)
            let kept = await DiskFaults.expectSound(folder, 0..<20)
            #expect(kept.count > 5)
        }
    }
}
#endif
