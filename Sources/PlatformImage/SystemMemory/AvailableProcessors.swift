internal import CImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many processors the calling thread may use: the default width of a ``DecodeQueue``.
///
/// Read once, when the value is made; limits can be changed later. What cannot be read counts as no limit.
package struct AvailableProcessors: Hashable, Sendable {
    /// Processors that are online, at least 1.
    package let onlineCount: Int
    /// Processors that the calling thread may run on, as `taskset` sets them, at least 1; nil when the system does not
    /// say. Threads that it starts inherit them.
    package let affinityCount: Int?
    /// The lowest CPU quota of the process's cgroup and of those above it, rounded up to whole processors, at least 1;
    /// nil for none.
    ///
    /// In version 2 of cgroups that is `cpu.max`, in version 1 `cpu.cfs_quota_us` over `cpu.cfs_period_us`: 0.5
    /// processors give 1, 2.5 give 3. Above what is mounted (the outside of a container) nothing can be seen.
    package let cgroupLimit: Int?

    /// The lowest of the three, at least 1.
    package var count: Int { min(onlineCount, affinityCount ?? .max, cgroupLimit ?? .max) }

    /// Asks the system, which takes about half a millisecond.
    package init() {
        let affinity = Int(clamping: imgc_affinity_count())
        self.init(
            root: "", onlineCount: sysconf(Int32(_SC_NPROCESSORS_ONLN)), affinityCount: affinity > 0 ? affinity : nil)
    }

    /// - Parameters:
    ///   - root: The folder that `/proc` and the cgroup mounts are in, without a slash at the end.
    ///   - onlineCount: Less than 1 counts as 1.
    ///   - affinityCount: At least 1; nil when it is not known.
    init(root: String, onlineCount: Int, affinityCount: Int?) {
        self.onlineCount = max(1, onlineCount)
        self.affinityCount = affinityCount
        cgroupLimit = CgroupProcessors(root: Array(root.utf8)).limit
    }
}
