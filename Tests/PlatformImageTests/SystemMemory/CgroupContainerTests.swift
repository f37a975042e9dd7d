import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Memory limit and CPU quota of one container, in the cgroup files of version 1 and of version 2.
@Suite struct CgroupContainerTests {
    /// The folders of a container with 256 MiB and half a processor, whose parent has 4 GiB and 2.5 processors.
    struct Layout: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let cgroup: String
        let mountinfo: String
        /// Folders of the memory files and of the CPU files: the container's, and its parent's if it is visible.
        let memory: [String]
        let cpu: [String]
        let isVersion2: Bool

        func tree(bytes: [String], quotas: [String]) throws -> SystemTree {
            let tree = try SystemTree(["proc/self/cgroup": cgroup, "proc/self/mountinfo": mountinfo])
            for (folder, text) in zip(memory, bytes) {
                let none = isVersion2 ? "max" : "9223372036854771712"
                let name = isVersion2 ? "memory.max" : "memory.limit_in_bytes"
                try tree.write((text.isEmpty ? none : text) + "\n", to: "\(folder)/\(name)")
            }
            for (folder, text) in zip(cpu, quotas) {
                if isVersion2 {
                    try tree.write("\(text.isEmpty ? "max" : text) 100000\n", to: "\(folder)/cpu.max")
                } else {
                    try tree.write((text.isEmpty ? "-1" : text) + "\n", to: "\(folder)/cpu.cfs_quota_us")
                    try tree.write("100000\n", to: "\(folder)/cpu.cfs_period_us")
                }
            }
            return tree
        }
    }

    private static let v2 = "sys/fs/cgroup"
    private static let memoryOfV1 = "sys/fs/cgroup/memory"
    private static let cpuOfV1 = "sys/fs/cgroup/cpu,cpuacct"
    private static let pathsOfV1 = "11:cpu,cpuacct:/pod/c\n4:memory:/pod/c\n"

    private static func mountsOfV1(root: String) -> String {
        """
        900 899 0:29 \(root) /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct
        901 899 0:32 \(root) /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory

        """
    }

    static let layouts = [
        Layout(
            testDescription: "v2, nested groups", cgroup: "0::/pod/c\n", mountinfo: SystemTree.unified,
            memory: ["\(v2)/pod/c", "\(v2)/pod"], cpu: ["\(v2)/pod/c", "\(v2)/pod"], isVersion2: true),
        Layout(
            testDescription: "v2, cgroup namespace", cgroup: "0::/\n",
            mountinfo: "900 899 0:27 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n", memory: [v2], cpu: [v2],
            isVersion2: true),
        Layout(
            testDescription: "v2, mount that begins at the container", cgroup: "0::/pod/c\n",
            mountinfo: "900 899 0:27 /pod/c /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n", memory: [v2], cpu: [v2],
            isVersion2: true),
        Layout(
            testDescription: "v1, nested groups", cgroup: pathsOfV1, mountinfo: SystemTree.legacy,
            memory: ["\(memoryOfV1)/pod/c", "\(memoryOfV1)/pod"], cpu: ["\(cpuOfV1)/pod/c", "\(cpuOfV1)/pod"],
            isVersion2: false),
        Layout(
            testDescription: "v1, cgroup namespace", cgroup: "11:cpu,cpuacct:/\n4:memory:/\n",
            mountinfo: mountsOfV1(root: "/"), memory: [memoryOfV1], cpu: [cpuOfV1], isVersion2: false),
        Layout(
            testDescription: "v1, mount that begins at the container", cgroup: pathsOfV1,
            mountinfo: mountsOfV1(root: "/pod/c"), memory: [memoryOfV1], cpu: [cpuOfV1], isVersion2: false),
    ]

    @Test(.requirement("N6"), arguments: layouts)
    func containerWith256MiBAndHalfAProcessorHasOneThread(_ layout: Layout) throws {
        let tree = try layout.tree(bytes: ["268435456", "4294967296"], quotas: ["50000", "250000"])

        #expect(AvailableMemory(root: tree.root, systemBytes: 1 << 40).bytes == 256 << 20)
        #expect(AvailableProcessors(root: tree.root, onlineCount: 64, affinityCount: 64).count == 1)
    }

    @Test(.requirement("N6"), arguments: layouts)
    func containerWithoutLimitsHasThoseOfItsVisibleParent(_ layout: Layout) throws {
        let tree = try layout.tree(bytes: ["", "4294967296"], quotas: ["", "250000"])
        let hasParent = layout.memory.count > 1

        #expect(AvailableMemory(root: tree.root, systemBytes: 1 << 40).cgroupLimit == (hasParent ? 4 << 30 : nil))
        #expect(AvailableProcessors(root: tree.root, onlineCount: 64, affinityCount: nil).count == (hasParent ? 3 : 64))
    }
}
