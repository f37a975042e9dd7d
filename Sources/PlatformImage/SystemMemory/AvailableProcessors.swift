/// The number of processors that the calling thread may use: the default number of threads of a ``DecodeQueue``.
///
/// The values are read once, in the initialiser; limits can change later. A file that cannot be read counts as no
/// limit.
package struct AvailableProcessors: Hashable, Sendable {
    /// Processors that are online, at least 1.
    package let onlineCount: Int
    /// Processors in the affinity mask of the calling thread (`taskset`), at least 1; nil when the system does not
    /// report it. Threads inherit the mask.
    package let affinityCount: Int?
    /// The lowest CPU quota of the process's cgroup and its ancestors, rounded up to whole processors, at least 1; nil
    /// for no quota.
    ///
    /// Reads `cpu.max` in cgroups version 2, `cpu.cfs_quota_us` and `cpu.cfs_period_us` in version 1: 0.5 processors
    /// give 1, 2.5 give 3. Ancestors that the mounted cgroup file system does not contain, such as those outside of a
    /// container, are not read.
    package let cgroupLimit: Int?

    /// The minimum of ``onlineCount``, ``affinityCount`` and ``cgroupLimit``, at least 1.
    package var count: Int { min(onlineCount, affinityCount ?? .max, cgroupLimit ?? .max) }

    /// Queries the system, which takes about half a millisecond.
    package init() {
        self.init(root: "", onlineCount: SystemConfiguration.onlineProcessors, affinityCount: Self.affinity)
    }

    /// - Parameters:
    ///   - root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the running
    ///     system.
    ///   - onlineCount: Less than 1 counts as 1.
    ///   - affinityCount: At least 1; nil when unknown.
    init(root: String, onlineCount: Int, affinityCount: Int?) {
        self.onlineCount = max(1, onlineCount)
        self.affinityCount = affinityCount
        cgroupLimit = CgroupProcessors(root: Array(root.utf8)).limit
    }
}

/// The CPU quotas of this process's cgroup and of the ancestors of that cgroup, as far as the mounted cgroup file
/// system contains them (kernel documents admin-guide/cgroup-v2, "CPU Interface Files", and scheduler/sched-bwc).
struct CgroupProcessors {
    /// CPU time per period, both in microseconds: a quota of 250,000 in a period of 100,000 permits 2.5 processors.
    struct Quota: Hashable {
        let time: Int
        let period: Int

        /// Processors, rounded up, at least 1: with a quota of 2.5 processors, 2 threads would leave half a processor
        /// unused.
        var processors: Int { max(1, time / period + (time % period == 0 ? 0 : 1)) }
    }

    private let folders: [CgroupFolders.Folder]

    /// - Parameter root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the
    ///   running system.
    init(root: [UInt8]) { folders = CgroupFolders(of: .cpu, root: root).all }

    /// Processors of the lowest quota, rounded up, at least 1; nil for no quota.
    var limit: Int? { folders.compactMap { Self.quota($0)?.processors }.min() }

    private static func quota(_ folder: CgroupFolders.Folder) -> Quota? {
        switch folder.version {
        // The quota -1 means no quota; `Int(asciiDigits:)` returns nil for the minus sign.
        case .v1: quota(folder.text(of: "cpu.cfs_quota_us"), folder.text(of: "cpu.cfs_period_us"))
        // `250000 100000`, or `max 100000` for no quota.
        case .v2:
            folder.text(of: "cpu.max").flatMap { text in
                let fields = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
                return fields.count == 2 ? quota(Array(fields[0]), Array(fields[1])) : nil
            }
        }
    }

    /// Parses quota and period; nil when one of them is missing, is not a number of ASCII digits, or is 0, which the
    /// kernel rejects.
    private static func quota(_ time: [UInt8]?, _ period: [UInt8]?) -> Quota? {
        guard let time = time.flatMap({ Int(asciiDigits: $0) }),
            let period = period.flatMap({ Int(asciiDigits: $0) }),
            time > 0, period > 0
        else { return nil }
        return Quota(time: time, period: period)
    }
}
