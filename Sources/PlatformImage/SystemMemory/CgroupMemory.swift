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
        guard let bytes = Decimal.value(of: text), bytes <= Int.max - 1 << 20 else { return nil }
        return bytes
    }
}
