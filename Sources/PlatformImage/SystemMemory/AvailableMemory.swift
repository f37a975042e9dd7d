/// The memory that this process may use, for example to choose the size of a cache.
///
/// ```swift
/// let cache = MemoryCache<ImageCacheKey, Bitmap>(maxBytes: AvailableMemory().fraction(0.15))
/// ```
///
/// The values are read once, in the initialiser; limits can change later. A file that cannot be read counts as no
/// limit.
public struct AvailableMemory: Hashable, Sendable {
    /// Bytes of physical memory; nil when the system does not report it.
    public let physicalBytes: Int?
    /// The lowest memory limit of the process's cgroup and its ancestors, in bytes, 0 or more; nil for no limit.
    ///
    /// Reads `memory.max` and `memory.high` in cgroups version 2, `memory.limit_in_bytes` in version 1. Ancestors that
    /// the mounted cgroup file system does not contain, such as those outside of a container, are not read.
    public let cgroupLimit: Int?

    /// Bytes that this process may use: the minimum of ``cgroupLimit`` and ``physicalBytes``, 1 GiB when both are nil.
    public var bytes: Int { min(cgroupLimit ?? .max, physicalBytes ?? cgroupLimit ?? 1 << 30) }

    /// Queries the system, which takes about half a millisecond.
    public init() { self.init(root: "", systemBytes: Self.systemBytes) }

    /// - Parameters:
    ///   - root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the running
    ///     system.
    ///   - systemBytes: Physical memory reported by sysconf(3), in bytes; nil when unknown.
    init(root: String, systemBytes: Int?) {
        let root = Array(root.utf8)
        // A container may have a virtual `meminfo` (LXCFS) with a lower total than sysconf(3) reports.
        let meminfo = ProcFile.contents(of: root + Array("/proc/meminfo".utf8), maxBytes: 1 << 16)
        physicalBytes = [meminfo.flatMap(Self.total(in:)), systemBytes].compactMap { $0 }.filter { $0 > 0 }.min()
        cgroupLimit = CgroupMemory(root: root).limit
    }

    /// `fraction` of ``bytes``, in bytes, rounded down.
    ///
    /// - Parameter fraction: 0...1; anything else is a programming error and traps.
    public func fraction(_ fraction: Double) -> Int {
        precondition(fraction >= 0 && fraction <= 1, "fraction must be in 0...1")
        // Double cannot represent every Int: a fraction of 1 must return `bytes` exactly.
        return fraction == 1 ? bytes : Int(Double(bytes) * fraction)
    }

    private static var systemBytes: Int? {
        let (pages, pageBytes) = (SystemConfiguration.physicalPages, SystemConfiguration.pageBytes)
        guard pages > 0, pageBytes > 0 else { return nil }
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageBytes)
        return overflow ? .max : bytes
    }

    /// Bytes of physical memory from the line `MemTotal:       16384 kB` (proc_meminfo(5)); nil without a valid line.
    private static func total(in meminfo: [UInt8]) -> Int? {
        for line in meminfo.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count == 3, fields[0].elementsEqual("MemTotal:".utf8), fields[2].elementsEqual("kB".utf8),
                let kibibytes = Int(asciiDigits: fields[1])
            else { continue }
            let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
            return overflow ? nil : bytes
        }
        return nil
    }
}

/// The memory limits of this process's cgroup and of the ancestors of that cgroup, as far as the mounted cgroup file
/// system contains them (kernel documents admin-guide/cgroup-v2 and admin-guide/cgroup-v1/memory).
struct CgroupMemory {
    /// The cgroup folders, in the order of ``CgroupFolders/all``.
    let folders: [CgroupFolders.Folder]

    /// - Parameter root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the
    ///   running system.
    init(root: [UInt8]) { folders = CgroupFolders(of: .memory, root: root).all }

    /// The lowest limit, in bytes; nil when no folder has a limit.
    var limit: Int? {
        folders.flatMap { folder in
            switch folder.version {
            case .v1: [folder.text(of: "memory.limit_in_bytes")]
            case .v2: [folder.text(of: "memory.max"), folder.text(of: "memory.high")]
            }
        }.compactMap { $0.flatMap(Self.limit) }.min()
    }

    private static func limit(_ text: [UInt8]) -> Int? {
        // Without a limit, the text is `max` in version 2; in version 1 it is `Int.max` rounded down to a multiple of
        // the page size, which is at most 1 MiB.
        guard let bytes = Int(asciiDigits: text), bytes <= Int.max - 1 << 20 else { return nil }
        return bytes
    }
}
