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
        guard let time = time.flatMap({ Decimal.value(of: $0) }),
            let period = period.flatMap({ Decimal.value(of: $0) }),
            time > 0, period > 0
        else { return nil }
        return Quota(time: time, period: period)
    }
}
