import PlatformImageTestSupport
import Testing

extension SystemTree {
    /// The lines of `/proc/self/mountinfo` on a system with cgroup version 2 only.
    static let unified = """
        22 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
        27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
        31 23 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate

        """
    /// The lines on a system with cgroup version 1 only.
    static let legacy = """
        27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        31 23 0:28 / /sys/fs/cgroup ro,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:10 - cgroup cgroup rw,cpu,cpuacct
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:11 master:2 - cgroup cgroup rw,memory
        40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime shared:12 - cgroup cgroup rw,xattr,name=systemd

        """
    /// The lines on a hybrid system: controllers in version 1, processes also in version 2.
    static let hybrid =
        legacy + "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:13 - cgroup2 cgroup2 rw\n"
}

/// The files of a system that describe its cgroups, and the expected limit.
struct CgroupSystem: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let cgroup: String
    let mountinfo: String
    let files: [String: String]
    let limit: Int?

    /// - Parameters:
    ///   - cgroup: The text of `/proc/self/cgroup`.
    ///   - mountinfo: The text of `/proc/self/mountinfo`.
    ///   - files: The other files.
    ///   - limit: Bytes or processors; nil for none.
    init(_ description: String, _ cgroup: String, _ mountinfo: String, _ files: [String: String], _ limit: Int?) {
        testDescription = description
        self.cgroup = cgroup
        self.mountinfo = mountinfo
        self.files = files
        self.limit = limit
    }

    func tree() throws -> SystemTree {
        let tree = try SystemTree(files)
        try tree.write(cgroup, to: "proc/self/cgroup")
        try tree.write(mountinfo, to: "proc/self/mountinfo")
        return tree
    }
}
