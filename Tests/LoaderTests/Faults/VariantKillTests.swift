#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImageDiskCacheProbe

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension DiskFaults {
    @Suite struct VariantKillTests {
        /// Kills the process at each disk call (actions -4 within the call and -3 after it) or fails the call, while
        /// variant files are written, replaced and removed. No partial variant and no variant of another body may be
        /// readable, and sources that were only read stay intact.
        @Test(arguments: [(-4, 1), (-3, 3), (Int(EIO), 2), (Int(ENOSPC), 5)])
        func faultAtAnyDiskCallLeavesSourcesIntactAndNoWrongVariant(_ row: (action: Int, stride: Int)) async throws {
            let environment = ["LD_PRELOAD": try FaultPreload.shim]
            var call = 1
            var faults = 0
            while true {
                let folder = try FaultFolder()
                let words = [folder.path, Command.variantsWithFaultAtOneCall.rawValue, "\(row.action)", "\(call)"]
                let (status, lines) = try await offPool { try Probe.run(words, environment: environment) }

                let (versions, wrong) = try await VariantFaults.check(folder.path)
                #expect(wrong == nil, "call \(call)")
                // Sources 0 and 3 are only read.
                #expect(versions[0] == 1 && versions[3] == 1, "call \(call): \(versions)")
                if status == 0, lines.last == "alive" { break }
                try #require(
                    row.action < 0 ? status == -SIGKILL : lines.last == "survived",
                    "call \(call) ended with \(status): \(lines)")
                faults += 1
                call += row.stride
            }
            #expect(faults * row.stride > 60)
        }
    }
}
#endif
