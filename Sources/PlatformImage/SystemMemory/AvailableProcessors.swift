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
        self.init(root: "", onlineCount: SystemConfiguration.onlineProcessors, affinityCount: Self.affinity)
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

/// The CPU quota of the cgroup of this process and of the ones above it, as far as they can be seen
/// (admin-guide/cgroup-v2, "CPU Interface Files", and scheduler/sched-bwc of the kernel).
struct CgroupProcessors {
    /// CPU time over wall time, in microseconds: 250,000 of 100,000 are 2.5 processors.
    struct Quota: Hashable {
        let time: Int
        let period: Int

        /// Processors, rounded up, at least 1: with 2.5 of them 2 threads leave half of one unused.
        var processors: Int { max(1, time / period + (time % period == 0 ? 0 : 1)) }
    }

    private let folders: [CgroupFolders.Folder]

    /// - Parameter root: The folder that `/proc` and the mounts are in, without a slash at the end.
    init(root: [UInt8]) { folders = CgroupFolders(of: .cpu, root: root).all }

    /// Processors of the lowest quota, rounded up, at least 1; nil for none.
    var limit: Int? { folders.compactMap { Self.quota($0)?.processors }.min() }

    private static func quota(_ folder: CgroupFolders.Folder) -> Quota? {
        switch folder.version {
        // -1 for none, which is no decimal number.
        case .v1: quota(folder.text(of: "cpu.cfs_quota_us"), folder.text(of: "cpu.cfs_period_us"))
        // `250000 100000`, or `max 100000` for none.
        case .v2:
            folder.text(of: "cpu.max").flatMap { text in
                let fields = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
                return fields.count == 2 ? quota(Array(fields[0]), Array(fields[1])) : nil
            }
        }
    }

    /// Nil for a quota that the kernel would not take, 0 for example: then it is no file of the kernel's.
    private static func quota(_ time: [UInt8]?, _ period: [UInt8]?) -> Quota? {
        guard let time = time.flatMap({ Int(asciiDigits: $0) }),
            let period = period.flatMap({ Int(asciiDigits: $0) }),
            time > 0, period > 0
        else { return nil }
        return Quota(time: time, period: period)
    }
}
