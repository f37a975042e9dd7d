import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct AvailableMemoryTests {
    typealias System = CgroupSystem

    private func limit(_ tree: SystemTree) -> Int? {
        AvailableMemory(root: tree.root, systemBytes: 1 << 40).cgroupLimit
    }

    static let v2 = "sys/fs/cgroup"
    static let v1 = "sys/fs/cgroup/memory"
    static let own = "0::/a.slice/b.service\n"
    static let noLimitOfV1 = "9223372036854771712\n"

    static let systems = [
        System("v2, own limit", own, SystemTree.unified, ["\(v2)/a.slice/b.service/memory.max": "4096\n"], 4096),
        System("v2, the parent's limit", own, SystemTree.unified, ["\(v2)/a.slice/memory.max": "8192\n"], 8192),
        System("v2, a limit at the mount", own, SystemTree.unified, ["\(v2)/memory.max": "12288\n"], 12288),
        System(
            "v2, the lowest limit of all levels", own, SystemTree.unified,
            [
                "\(v2)/memory.max": "9000\n", "\(v2)/a.slice/memory.max": "5000\n",
                "\(v2)/a.slice/b.service/memory.max": "7000\n",
            ], 5000),
        System(
            "v2, memory.high below memory.max", own, SystemTree.unified,
            ["\(v2)/a.slice/b.service/memory.max": "7000\n", "\(v2)/a.slice/b.service/memory.high": "6000\n"], 6000),
        System(
            "v2, memory.high above memory.max", own, SystemTree.unified,
            ["\(v2)/a.slice/b.service/memory.max": "7000\n", "\(v2)/a.slice/b.service/memory.high": "8000\n"], 7000),
        System(
            "v2, memory.high of an ancestor", own, SystemTree.unified,
            ["\(v2)/a.slice/b.service/memory.max": "max\n", "\(v2)/a.slice/memory.high": "100\n"], 100),
        System("v2, max is none", own, SystemTree.unified, ["\(v2)/a.slice/b.service/memory.max": "max\n"], nil),
        System("v2, a limit of 0", own, SystemTree.unified, ["\(v2)/a.slice/memory.max": "0\n"], 0),
        System("v2, no files", own, SystemTree.unified, [:], nil),
        System("v2, root cgroup", "0::/\n", SystemTree.unified, ["\(v2)/memory.max": "77\n"], 77),
        System("v2, the limit of another cgroup", own, SystemTree.unified, ["\(v2)/a.slice/c/memory.max": "4\n"], nil),
        System(
            "v2, a path with colons and blanks", "0::/a b:c,memory\n", SystemTree.unified,
            ["\(v2)/a b:c,memory/memory.max": "55\n"], 55),
        System(
            "v2, a cgroup that was removed", "0::/a.slice/gone (deleted)\n", SystemTree.unified,
            ["\(v2)/a.slice/memory.max": "66\n"], 66),
        System(
            "v2, mounted with escapes", own,
            #"31 23 0:27 / /mnt/a\040b\134c\011 rw - cgroup2 none rw"#,
            ["mnt/a b\\c\t/a.slice/memory.max": "88\n"], 88),
        System(
            "v2, mounted without a source", own,
            "31 23 0:27 / /cg rw -  cgroup2  rw\n31 23 0:27 / /cg rw - cgroup2  rw\n",
            ["cg/memory.max": "89\n"], 89),
        System(
            "v1, the cgroup's limit", "4:memory:/user\n0::/\n", SystemTree.legacy,
            ["\(v1)/user/memory.limit_in_bytes": "3000\n", "\(v1)/memory.limit_in_bytes": noLimitOfV1], 3000),
        System(
            "v1, the parent's limit", "11:cpu,cpuacct:/x\n4:hugetlb,memory:/user/x\n", SystemTree.legacy,
            [
                "\(v1)/user/x/memory.limit_in_bytes": noLimitOfV1, "\(v1)/user/memory.limit_in_bytes": "2000\n",
                "\(v2)/cpu,cpuacct/x/memory.limit_in_bytes": "1\n",
            ], 2000),
        System("v1, none", "4:memory:/\n", SystemTree.legacy, ["\(v1)/memory.limit_in_bytes": noLimitOfV1], nil),
        System(
            "v1, no limit with pages of 64 KiB", "4:memory:/\n", SystemTree.legacy,
            ["\(v1)/memory.limit_in_bytes": "9223372036854710272\n"], nil),
        System(
            "v1, no limit on old kernels", "4:memory:/\n", SystemTree.legacy,
            ["\(v1)/memory.limit_in_bytes": "18446744073709551615\n"], nil),
        System(
            "v1 without the memory controller", "7:cpu:/x\n1:name=memory:/x\n", SystemTree.legacy,
            ["\(v1)/x/memory.limit_in_bytes": "5\n", "\(v1)/memory.limit_in_bytes": "6\n"], nil),
        System(
            "hybrid, memory in v1", "4:memory:/x\n0::/y\n", SystemTree.hybrid,
            ["\(v1)/x/memory.limit_in_bytes": "4000\n", "\(v2)/unified/y/cgroup.procs": ""], 4000),
        System(
            "hybrid, memory in v2", "4:cpu:/x\n0::/y\n", SystemTree.hybrid,
            ["\(v2)/unified/y/memory.max": "4001\n", "\(v1)/memory.limit_in_bytes": "6\n"], 4001),
        System(
            "container with a namespace", "0::/\n",
            "900 899 0:27 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n", ["\(v2)/memory.max": "268435456\n"],
            268_435_456),
        System(
            "container whose mount begins at its cgroup", "4:memory:/docker/0123\n",
            "900 899 0:32 /docker/0123 \("/\(v1)") ro,nosuid - cgroup cgroup rw,memory\n",
            ["\(v1)/memory.limit_in_bytes": "700\n"], 700),
        System(
            "a cgroup below the one that is mounted", "0::/pod/c/d\n",
            "900 899 0:27 /pod /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
            ["\(v2)/c/d/memory.max": "900\n", "\(v2)/c/memory.max": "800\n", "\(v2)/pod/c/memory.max": "1\n"], 800),
        System(
            "container with the host's path, not visible", "0::/kube/pod/c\n",
            "900 899 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", ["\(v2)/memory.max": "600\n"], 600),
        System(
            "container with another mount root", "0::/\n",
            "900 899 0:27 /docker/0123 /sys/fs/cgroup ro - cgroup2 cgroup rw\n", ["\(v2)/memory.max": "601\n"], 601),
        System(
            "a path with the mount root as a string prefix only", "0::/docker-x/y\n",
            "900 899 0:27 /docker /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
            ["\(v2)/memory.max": "602\n", "\(v2)/y/memory.max": "1\n"], 602),
        System(
            "a path outside the namespace", "0::/../..\n", SystemTree.unified,
            ["\(v2)/memory.max": "603\n", "sys/memory.max": "1\n", "memory.max": "1\n"], 603),
        System(
            "a path with parent components", "0::/a/../../b\n", SystemTree.unified,
            ["\(v2)/memory.max": "604\n", "\(v2)/a/memory.max": "1\n", "sys/fs/b/memory.max": "1\n"], 604),
        System(
            "a mount from outside of the namespace", "0::/../../c\n",
            "31 23 0:27 /../.. /sys/fs/cgroup rw - cgroup2 cgroup rw\n", ["\(v2)/c/memory.max": "605\n"], 605),
        System(
            "of two mounts, the one with more ancestors", "0::/pod/c\n",
            """
            900 899 0:27 /pod/c /mnt ro - cgroup2 cgroup rw
            901 899 0:27 /other /other ro - cgroup2 cgroup rw
            902 899 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw

            """,
            ["mnt/memory.max": "9\n", "\(v2)/pod/memory.max": "7\n", "other/memory.max": "1\n"], 7),
    ]

    @Test(arguments: systems)
    func lowestVisibleCgroupMemoryLimitIsUsed(_ system: System) throws {
        #expect(limit(try system.tree()) == system.limit)
    }

    @Test func limitAtAnyLevelOfTheCgroupPathIsFound() throws {
        let names = (0..<12).map { "level\($0)" }
        for level in 0...names.count {
            let folder = ([Self.v2] + names.prefix(level)).joined(separator: "/")
            let system = System(
                "", "0::/\(names.joined(separator: "/"))\n", SystemTree.unified,
                ["\(folder)/memory.max": "\(1000 + level)\n"], nil)
            #expect(limit(try system.tree()) == 1000 + level)
        }
    }

    @Test(arguments: [
        "", "\n", "max", "-1\n", "+5\n", "5 5\n", "5\n6\n", "0x10\n", "5k\n", " 5\n", "5\0\n", "\u{661}\n", "1e3\n",
        "9223372036854775807\n", "9223372036854775808\n", "99999999999999999999999999\n",
        String(repeating: "0", count: 5000),
    ])
    func invalidCgroupLimitTextIsIgnored(_ text: String) throws {
        let system = System("", "0::/a\n", SystemTree.unified, ["\(Self.v2)/a/memory.max": text], nil)
        let tree = try system.tree()
        #expect(limit(tree) == nil)

        // The limit of the parent cgroup applies.
        try tree.write("700\n", to: "\(Self.v2)/memory.max")
        #expect(limit(tree) == 700)
    }

    static let hybridFiles = [
        "proc/self/cgroup", "proc/self/mountinfo", "proc/meminfo", "\(v1)/x/memory.limit_in_bytes",
        "\(v2)/unified/y/memory.max", "\(v2)/unified/y/memory.high",
    ]

    private func hybridTree() throws -> SystemTree {
        let tree = try System(
            "", "4:memory:/x\n0::/y\n", SystemTree.hybrid,
            [
                "proc/meminfo": "MemTotal:       1048576 kB\nMemFree: 5 kB\n",
                "\(Self.v1)/x/memory.limit_in_bytes": "10\n",
                "\(Self.v2)/unified/y/memory.max": "12\n", "\(Self.v2)/unified/y/memory.high": "11\n",
            ], nil
        ).tree()
        return tree
    }

    /// The expected result when one of the files is missing.
    static let withoutOneFile: [(path: String, physical: Int, limit: Int?)] = [
        ("proc/self/cgroup", 1 << 30, nil), ("proc/self/mountinfo", 1 << 30, nil), ("proc/meminfo", 1 << 40, 10),
        ("\(v1)/x/memory.limit_in_bytes", 1 << 30, 11), ("\(v2)/unified/y/memory.max", 1 << 30, 10),
        ("\(v2)/unified/y/memory.high", 1 << 30, 10),
    ]

    enum UnusualFile: CaseIterable { case missing, folder, fifo, writtenFIFO, zeroDevice, symlinkLoop, endless }

    /// Reading a file that is not regular must not block: a blocking `open` of a FIFO waits until a writer opens it.
    @Test(.timeLimit(.minutes(30)), arguments: UnusualFile.allCases)
    func procFileThatIsNotRegularOrIsTooLargeIsTreatedAsMissing(_ kind: UnusualFile) throws {
        for (path, physical, limit) in Self.withoutOneFile {
            let tree = try hybridTree()
            let full = tree.path(path)
            try tree.remove(path)
            var writer: Int32 = -1
            switch kind {
            case .missing: break
            case .folder: try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
            case .fifo, .writtenFIFO:
                #expect(mkfifo(full, 0o600) == 0)
                if kind == .writtenFIFO { writer = open(full, O_RDWR) }
            case .zeroDevice: try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "/dev/zero")
            case .symlinkLoop: try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: full)
            case .endless:
                try tree.write([], to: path)
                #expect(truncate(full, 1 << 40) == 0)
            }
            defer { if writer >= 0 { close(writer) } }

            let memory = AvailableMemory(root: tree.root, systemBytes: 1 << 40)

            #expect(memory.physicalBytes == physical && memory.cgroupLimit == limit, "\(path)")
        }
    }

    /// Truncates the parsed files at every byte and changes every byte; the result must be one of the existing limits,
    /// or no limit.
    @Test func damagedProcFilesGiveOneOfTheCgroupLimitsOrNoLimit() throws {
        let tree = try hybridTree()
        for path in ["proc/self/cgroup", "proc/self/mountinfo", "proc/meminfo"] {
            let intact = [UInt8](try Data(contentsOf: URL(filePath: tree.path(path))))
            func check(_ bytes: [UInt8]) throws {
                try tree.write(bytes, to: path)
                let memory = AvailableMemory(root: tree.root, systemBytes: 1 << 40)
                #expect([nil, 10, 11, 12].contains(memory.cgroupLimit))
                #expect(1...(1 << 40) ~= memory.physicalBytes ?? 0)
            }
            for count in intact.indices { try check(Array(intact.prefix(count))) }
            for index in intact.indices {
                for byte in [0, 0x0a, 0x20, 0x2f, 0x5c, 0x80, intact[index] ^ 1] as [UInt8] {
                    var bytes = intact
                    bytes[index] = byte
                    try check(bytes)
                }
            }
            try tree.write(intact, to: path)
        }
        #expect(limit(tree) == 10)
    }

    /// If the work were proportional to lines times path components, this test would take minutes.
    @Test(.timeLimit(.minutes(30)))
    func procFilesOfOneMegabyteAreParsedWithinTheTimeLimit() throws {
        let line = "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        let deep = String(repeating: "/a", count: 500_000)
        let tree = try System(
            "", "0::\(deep)\n", String(repeating: line, count: 20_000), ["\(Self.v2)/memory.max": "5\n"], nil
        ).tree()
        #expect(limit(tree) == 5)

        try tree.write("0::\(String(repeating: "/a", count: 2047))\n", to: "proc/self/cgroup")
        #expect(limit(tree) == 5)

        try tree.write("31 23 0:27 / \(deep) rw - cgroup2 cgroup2 rw\n\(line)", to: "proc/self/mountinfo")
        #expect(limit(tree) == 5)
    }

    @Test func lowerOfMeminfoAndSysconfMemoryIsThePhysicalMemory() throws {
        let table: [(meminfo: String, system: Int?, bytes: Int?)] = [
            ("MemTotal:       16384 kB\n", nil, 16_777_216), ("MemTotal: 1 kB\n", 5000, 1024),
            ("MemTotal: 10 kB\n", 5000, 5000), ("MemTotal: 0 kB\n", 5000, 5000), ("MemTotal: 0 kB\n", nil, nil),
            ("MemTotal: 4 MB\n", nil, nil), ("MemTotal: kB\n", nil, nil), ("", 7, 7), ("", nil, nil),
            ("MemTotal: 9223372036854775807 kB\n", 5000, 5000), ("MemFree: 1 kB\nMemTotal: 2 kB\n", nil, 2048),
        ]
        for (meminfo, system, bytes) in table {
            let tree = try SystemTree(["proc/meminfo": meminfo])
            let memory = AvailableMemory(root: tree.root, systemBytes: system)
            #expect(memory.physicalBytes == bytes && memory.bytes == bytes ?? 1 << 30, "\(meminfo)")
        }
    }

    @Test func lowerOfCgroupLimitAndPhysicalMemoryIsTheAvailableMemory() throws {
        let table: [(limit: String, system: Int?, bytes: Int)] = [
            ("4096\n", 8192, 4096), ("8192\n", 4096, 4096), ("4096\n", nil, 4096), ("max\n", 4096, 4096),
            ("max\n", nil, 1 << 30), ("\(1 << 40)\n", nil, 1 << 40), ("0\n", 4096, 0),
        ]
        for (limit, system, bytes) in table {
            let tree = try System("", "0::/\n", SystemTree.unified, ["\(Self.v2)/memory.max": limit], nil).tree()
            #expect(AvailableMemory(root: tree.root, systemBytes: system).bytes == bytes, "\(limit)")
        }
    }

    @Test func fractionOfAvailableMemoryIsRoundedDownWithoutOverflow() throws {
        let tree = try SystemTree()
        let thousand = AvailableMemory(root: tree.root, systemBytes: 1000)
        #expect(thousand.fraction(0.15) == 150 && thousand.fraction(0.0019) == 1)
        #expect(thousand.fraction(0) == 0 && thousand.fraction(1) == 1000)

        let largest = AvailableMemory(root: tree.root, systemBytes: .max)
        #expect(largest.fraction(1) == .max)
        #expect(largest.fraction(1.0.nextDown) < .max && largest.fraction(1.0.nextDown) > .max - (1 << 12))
    }

    @Test func memoryFractionOutOfRangeTraps() async {
        await #expect(processExitsWith: .failure) { _ = AvailableMemory().fraction(-0.1) }
        await #expect(processExitsWith: .failure) { _ = AvailableMemory().fraction(1.1) }
        await #expect(processExitsWith: .failure) { _ = AvailableMemory().fraction(.nan) }
    }

    /// Compares the physical memory with the value that Foundation reports.
    @Test func availableMemoryOfTheTestMachineIsAtMostItsPhysicalMemory() throws {
        let memory = AvailableMemory()
        let physical = try #require(memory.physicalBytes)
        #expect(physical <= Int(ProcessInfo.processInfo.physicalMemory) && physical > 1 << 26)
        #expect(memory.bytes > 1 << 20 && memory.bytes <= physical)
        #expect(MemoryCache<Int, Int>(maxBytes: memory.fraction(0.15)).maxBytes == Int(Double(memory.bytes) * 0.15))
    }

    /// Runs in a dedicated process, because other tests open descriptors too. Counts only files of `/proc` and `/sys`,
    /// which excludes the descriptors that the runtime opens.
    @Test func readingTheMemoryLimitsLeavesNoFileDescriptorOpen() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<50 { _ = AvailableMemory() }
            let folder = "/proc/self/fd"
            let open = try FileManager.default.contentsOfDirectory(atPath: folder)
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
                .filter { $0.hasPrefix("/sys/") || $0.hasPrefix("/proc/") && !$0.hasSuffix("/fd") }
            precondition(open.isEmpty, "open file descriptors: \(open)")
        }
    }
}
