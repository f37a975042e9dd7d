#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension DiskFaults {
    @Suite struct KillTests {
        // Action -4 kills the process within a call, when half of the bytes are written. Action -3 kills it after a
        // call, which has the same effect as action -2, a kill before the next call.
        @Test(.requirement("O29"), arguments: [(-4, 1), (-3, 3)])
        func killAtAnyFileSystemCallLeavesTheOldOrNewEntryOrAMiss(_ row: (action: Int, stride: Int)) async throws {
            let environment = ["LD_PRELOAD": try FaultPreload.shim]
            var call = 1 + Int(FaultSeed.of("death at each call") % UInt64(row.stride))
            var deaths = 0
            while true {
                let folder = try FaultFolder()
                let words = [folder.path, Command.faultAtOneCall.rawValue, "\(row.action)", "\(call)", "0"]
                let (status, lines) = try await offPool { try Probe.run(words, environment: environment) }

                let kept = await DiskFaults.expectSound(folder, 0..<FaultLoop.keys)
                // A kill during the refresh of entry 1 or 2 leaves the previous or the refreshed entry; the entries
                // from 4 on are only read.
                #expect(Set(kept).isSuperset(of: [1, 2] + Array(4..<FaultLoop.keys)), "call \(call)")
                if status == 0 {
                    #expect(lines.last == "alive")
                    break
                }
                try #require(status == -SIGKILL, "call \(call) ended with \(status): \(lines)")
                deaths += 1
                call += row.stride
            }
            #expect(deaths * row.stride > 60)
        }

        @Test(arguments: [Command.replace, .refresh, .churn, .churnAndSweep])
        func killAtAnyTimeKeepsEntriesThatTheProcessDidNotChange(_ command: Command) async throws {
            let folder = try FaultFolder()
            var random = Random(seed: FaultSeed.of("death while \(command)"))
            let untouched = 1_000..<1_040
            // `churnAndSweep` clears the folder, so no entry remains unchanged.
            if command != .churnAndSweep {
                DiskFaults.store(untouched, version: 1, in: DiskCache(directory: folder.path))
            }

            for _ in 0..<12 {
                let probe = try DiskFaults.start(folder, command, Int(random.next() % 1_000_000), 1_000_000, 20, 0)
                let lines = random.next() % 40
                let microseconds = useconds_t(random.next() % 2_000)
                let status = try await offPool {
                    for _ in 0...lines { _ = probe.line() }
                    // A random delay, so that the process is killed at any time and not only after it has written a
                    // line.
                    usleep(microseconds)
                    probe.send(SIGKILL)
                    return probe.wait()
                }
                #expect(status == -SIGKILL)
                DiskFaults.readAndCheck(0..<20, of: DiskCache(directory: folder.path))
            }

            let kept = await DiskFaults.expectSound(folder, 0..<1_040)
            if command != .churnAndSweep { #expect(kept.filter(untouched.contains) == Array(untouched)) }
        }
    }
}
#endif
