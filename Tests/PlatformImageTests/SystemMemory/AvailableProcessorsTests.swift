import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// The default width of a queue depends on CPU affinity and CPU quota.
@Suite(.requirement("N6"), .timeLimit(.minutes(30))) struct AvailableProcessorsTests {
    typealias System = CgroupSystem

    static let v2 = "sys/fs/cgroup"
    static let v1 = "sys/fs/cgroup/cpu,cpuacct"
    static let own = "0::/a.slice/b.service\n"
    static let cpu = "11:cpu,cpuacct:/pod/c\n4:memory:/pod/c\n"

    /// A system with cgroup version 2; `text` is the CPU quota (`cpu.max`) of the process's cgroup.
    private static func unified(_ text: String, _ limit: Int?) -> System {
        System("v2, \(text)", own, SystemTree.unified, ["\(v2)/a.slice/b.service/cpu.max": text + "\n"], limit)
    }

    private static func legacy(_ quota: String, _ period: String, _ limit: Int?) -> System {
        System(
            "v1, \(quota) of \(period)", cpu, SystemTree.legacy,
            ["\(v1)/pod/c/cpu.cfs_quota_us": quota + "\n", "\(v1)/pod/c/cpu.cfs_period_us": period + "\n"], limit)
    }

    static let systems: [System] = [
        unified("max 100000", nil), unified("50000 100000", 1), unified("100000 100000", 1),
        unified("100001 100000", 2), unified("250000 100000", 3), unified("800000 100000", 8),
        unified("1000 1000000", 1), unified("3000000 1000000", 3), unified("max", nil), unified("", nil),
        unified("0 100000", nil), unified("100000 0", nil), unified("-1 100000", nil), unified("x y", nil),
        unified("1 2 3", nil), unified("9223372036854775807 1", .max),
        System(
            "v2, the lowest quota of all levels", own, SystemTree.unified,
            [
                "\(v2)/a.slice/cpu.max": "150000 100000\n", "\(v2)/a.slice/b.service/cpu.max": "400000 100000\n",
                "\(v2)/cpu.max": "max 100000\n",
            ], 2),
        System(
            "v2, periods differ", own, SystemTree.unified,
            ["\(v2)/a.slice/cpu.max": "90000 10000\n", "\(v2)/a.slice/b.service/cpu.max": "200000 50000\n"], 4),
        System("v2, no files", own, SystemTree.unified, [:], nil),
        System(
            "v2, the quota of another cgroup", own, SystemTree.unified, ["\(v2)/a.slice/c/cpu.max": "1000 100000\n"],
            nil),
        System(
            "container with a namespace", "0::/\n",
            "900 899 0:27 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n", ["\(v2)/cpu.max": "300000 100000\n"], 3),
        legacy("-1", "100000", nil), legacy("50000", "100000", 1), legacy("250000", "100000", 3),
        legacy("400000", "100000", 4), legacy("0", "100000", nil), legacy("100000", "0", nil),
        System(
            "v1, the parent's quota", cpu, SystemTree.legacy,
            [
                "\(v1)/pod/c/cpu.cfs_quota_us": "-1\n", "\(v1)/pod/c/cpu.cfs_period_us": "100000\n",
                "\(v1)/pod/cpu.cfs_quota_us": "200000\n", "\(v1)/pod/cpu.cfs_period_us": "100000\n",
            ], 2),
        System(
            "v1, a quota without a period", cpu, SystemTree.legacy, ["\(v1)/pod/c/cpu.cfs_quota_us": "200000\n"], nil),
        System(
            "v1, the memory controller's folder does not count", cpu, SystemTree.legacy,
            [
                "sys/fs/cgroup/memory/pod/c/cpu.cfs_quota_us": "100000\n",
                "sys/fs/cgroup/memory/pod/c/cpu.cfs_period_us": "100000\n",
            ], nil),
        System(
            "v1 without the cpu controller", "4:memory:/pod/c\n7:cpuset:/pod/c\n", SystemTree.legacy,
            ["\(v1)/cpu.cfs_quota_us": "100000\n", "\(v1)/cpu.cfs_period_us": "100000\n"], nil),
        System(
            "container whose mount begins at its cgroup", "4:cpu,cpuacct:/docker/0123\n",
            "900 899 0:32 /docker/0123 \("/\(v1)") ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n",
            ["\(v1)/cpu.cfs_quota_us": "150000\n", "\(v1)/cpu.cfs_period_us": "100000\n"], 2),
        System(
            "hybrid, cpu in v1", cpu + "0::/y\n", SystemTree.hybrid,
            ["\(v1)/pod/c/cpu.cfs_quota_us": "200000\n", "\(v1)/pod/c/cpu.cfs_period_us": "100000\n"], 2),
    ]

    @Test(arguments: systems)
    func lowestCgroupCPUQuotaIsUsedAndRoundedUp(system: System) throws {
        let tree = try system.tree()

        let processors = AvailableProcessors(root: tree.root, onlineCount: 64, affinityCount: nil)

        #expect(processors.cgroupLimit == system.limit)
        #expect(processors.count == min(64, system.limit ?? 64))
    }

    @Test(
        arguments: [
            (64, 3, nil, 3), (64, nil, "200000 100000", 2), (64, 3, "200000 100000", 2), (2, 3, "800000 100000", 2),
            (64, 1, "800000 100000", 1), (0, nil, nil, 1), (-1, nil, nil, 1), (8, nil, "10000 100000", 1),
        ] as [(Int, Int?, String?, Int)])
    func lowestOfOnlineCountAndAffinityAndCPUQuotaIsTheProcessorCount(
        online: Int, affinity: Int?, quota: String?, count: Int
    ) throws {
        let tree = try SystemTree([
            "proc/self/cgroup": "0::/\n", "proc/self/mountinfo": SystemTree.unified,
            "sys/fs/cgroup/cpu.max": (quota ?? "max 100000") + "\n",
        ])
        #expect(AvailableProcessors(root: tree.root, onlineCount: online, affinityCount: affinity).count == count)
    }

    @Test func missingProcFilesGiveNoCgroupLimit() throws {
        let processors = AvailableProcessors(root: try SystemTree().root, onlineCount: 5, affinityCount: nil)
        #expect(processors.cgroupLimit == nil && processors.count == 5)
    }

    #if os(Linux)
    /// Sets the affinity of a dedicated thread, so that the affinity of other tests does not change.
    @Test func affinityToOneProcessorGivesADecodeQueueWidthOfOne() async throws {
        let (before, pinned, width) = await withCheckedContinuation { continuation in
            Thread {
                let before = AvailableProcessors().affinityCount
                var set = [UInt8](repeating: 0, count: 1024)
                if schedulerGetAffinity(0, set.count, &set) == 0, let first = set.firstIndex(where: { $0 != 0 }) {
                    let lowestBit = set[first] & (~set[first] &+ 1)
                    set = [UInt8](repeating: 0, count: 1024)
                    set[first] = lowestBit
                    _ = schedulerSetAffinity(0, set.count, &set)
                }
                continuation.resume(
                    returning: (before, AvailableProcessors().affinityCount, DecodeQueue().width))
            }.start()
        }

        #expect(try #require(before) >= 1)
        #expect(pinned == 1)
        #expect(width == 1)
    }
    #endif

    @Test func processorCountOfTheTestMachineIsBetweenOneAndOnlineCount() {
        let processors = AvailableProcessors()
        #expect(processors.count >= 1 && processors.count <= processors.onlineCount)
    }
}

#if os(Linux)
// The headers declare these functions only if _GNU_SOURCE is defined. A Swift module cannot define this macro for the
// headers that it imports.
@_silgen_name("sched_getaffinity")
private func schedulerGetAffinity(_ thread: Int32, _ size: Int, _ set: UnsafeMutableRawPointer) -> Int32
@_silgen_name("sched_setaffinity")
private func schedulerSetAffinity(_ thread: Int32, _ size: Int, _ set: UnsafeRawPointer) -> Int32
#endif
