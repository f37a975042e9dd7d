/// How much memory this process may use, so that a cache can be sized by it.
///
/// ```swift
/// let cache = MemoryCache<ImageCacheKey, Bitmap>(maxBytes: AvailableMemory().fraction(0.15))
/// ```
///
/// Read once, when the value is made; limits can be changed later. What cannot be read counts as no limit.
public struct AvailableMemory: Hashable, Sendable {
    /// Bytes of RAM that the machine has; nil when the system does not tell.
    public let physicalBytes: Int?
    /// The lowest limit of the process's cgroup and of those above it, in bytes, 0 or more; nil for none.
    ///
    /// In version 2 of cgroups that is `memory.max` or `memory.high`, in version 1 `memory.limit_in_bytes`. Above what
    /// is mounted (the outside of a container) nothing can be seen.
    public let cgroupLimit: Int?

    /// Bytes this process may use: the lower one of ``cgroupLimit`` and ``physicalBytes``, 1 GiB when both are unknown.
    public var bytes: Int { min(cgroupLimit ?? .max, physicalBytes ?? cgroupLimit ?? 1 << 30) }

    /// Asks the system, which takes about half a millisecond.
    public init() { self.init(root: "", systemBytes: Self.systemBytes) }

    /// - Parameters:
    ///   - root: The folder that `/proc` and the cgroup mounts are in, without a slash at the end.
    ///   - systemBytes: What the system says apart from `/proc`.
    init(root: String, systemBytes: Int?) {
        let root = Array(root.utf8)
        // A container may show a `meminfo` of its own (LXCFS), which the system call does not know about.
        let meminfo = KernelFile.contents(of: root + Array("/proc/meminfo".utf8), maxBytes: 1 << 16)
        physicalBytes = [meminfo.flatMap(Self.total(in:)), systemBytes].compactMap { $0 }.filter { $0 > 0 }.min()
        cgroupLimit = CgroupMemory(root: root).limit
    }

    /// `fraction` of ``bytes``, in bytes, rounded down.
    ///
    /// - Parameter fraction: 0...1; anything else is a caller's error and traps.
    public func fraction(_ fraction: Double) -> Int {
        precondition(fraction >= 0 && fraction <= 1, "a fraction is 0...1")
        // Double cannot hold every Int, and the largest would not come back.
        return fraction == 1 ? bytes : Int(Double(bytes) * fraction)
    }

    private static var systemBytes: Int? {
        let (pages, pageBytes) = (SystemConfiguration.physicalPages, SystemConfiguration.pageBytes)
        guard pages > 0, pageBytes > 0 else { return nil }
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageBytes)
        return overflow ? .max : bytes
    }

    /// The line `MemTotal:       16384 kB` (proc_meminfo(5)).
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

/// The cgroup that limits the memory of this process and the ones above it, as far as they can be seen
/// (admin-guide/cgroup-v2 and admin-guide/cgroup-v1/memory of the kernel).
struct CgroupMemory {
    /// As ``CgroupFolders/all``.
    let folders: [CgroupFolders.Folder]

    /// - Parameter root: The folder that `/proc` and the mounts are in, without a slash at the end.
    init(root: [UInt8]) { folders = CgroupFolders(of: .memory, root: root).all }

    /// The lowest limit, in bytes; nil for none.
    var limit: Int? {
        folders.flatMap { folder in
            switch folder.version {
            case .v1: [folder.text(of: "memory.limit_in_bytes")]
            case .v2: [folder.text(of: "memory.max"), folder.text(of: "memory.high")]
            }
        }.compactMap { $0.flatMap(Self.limit) }.min()
    }

    private static func limit(_ text: [UInt8]) -> Int? {
        // Version 2 says `max` for no limit; version 1 says the largest Int, rounded down to a page of up to 1 MiB.
        guard let bytes = Int(asciiDigits: text), bytes <= Int.max - 1 << 20 else { return nil }
        return bytes
    }
}
