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
    @Suite struct VolumeTests {
        /// True when a child process may create a mount namespace.
        static let mayMount: Bool = {
            guard geteuid() == 0, let probe = try? Probe(["-m", "true"], program: "unshare") else { return false }
            return probe.wait() == 0
        }()

        @Test(.enabled(if: mayMount, "mounting a volume needs root and a mount namespace"))
        func storedEntriesAreReadFromReadOnlyAndFullVolumes() async throws {
            let folder = try FaultFolder()

            let lines = try await DiskFaults.run(folder, .volume, launcher: ["unshare", "-m"])

            let readOnly = try #require(DiskFaults.number("readonly", in: lines), "\(lines)")
            let full = try #require(DiskFaults.number("full", in: lines))
            #expect(readOnly > 0)
            #expect(full > 0)
            #expect(DiskFaults.number("bad", in: lines) == 0)
            #expect(DiskFaults.number("temporary", in: lines) == 0)
            #expect(lines.last == "passed")
        }
    }
}
#endif
