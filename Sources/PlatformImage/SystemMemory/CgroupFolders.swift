// Where the limits on a process are: cgroups(7), and the kernel's documents admin-guide/cgroup-v2 and
// admin-guide/cgroup-v1.

/// A resource that a cgroup can limit, by its name in `/proc/self/cgroup` and among the mount options of version 1.
enum CgroupController: String {
    case cpu, memory
}

/// The folders of the cgroup that limits one resource of this process and of the ones above it, as far as they can be
/// seen.
struct CgroupFolders {
    enum Version { case v1, v2 }

    struct Folder {
        let version: Version
        let path: [UInt8]

        func file(_ name: StaticString) -> [UInt8] { path + [UInt8(ascii: "/")] + Array("\(name)".utf8) }

        /// The text of a file without the line end; nil when it cannot be read.
        func text(of name: StaticString) -> [UInt8]? {
            guard var text = KernelFile.contents(of: file(name), maxBytes: 4096) else { return nil }
            if text.last == UInt8(ascii: "\n") { text.removeLast() }
            return text
        }
    }

    /// The process's own cgroup, then its parent and so on up to the mount; of both versions where both are mounted,
    /// since the files of a controller are only in one of them. Folders may be missing.
    let all: [Folder]

    /// - Parameters:
    ///   - controller: The resource.
    ///   - root: The folder that `/proc` and the mounts are in, without a slash at the end.
    init(of controller: CgroupController, root: [UInt8]) {
        guard let membership = KernelFile.contents(of: root + Array("/proc/self/cgroup".utf8), maxBytes: 1 << 20),
            let mountinfo = KernelFile.contents(of: root + Array("/proc/self/mountinfo".utf8), maxBytes: 1 << 23)
        else {
            all = []
            return
        }
        let mounts = CgroupMount.all(in: mountinfo, of: controller)
        all = [Version.v2, .v1].flatMap { version -> [Folder] in
            guard let path = Self.path(of: version, controller, in: membership) else { return [] }
            return Self.folders(of: path, version, in: mounts).map { Folder(version: version, path: root + $0) }
        }
    }

    /// The path in a line `4:cpu,memory:/path`, or `0::/path` for version 2. The path may hold colons, but no line end.
    private static func path(
        of version: Version, _ controller: CgroupController, in membership: [UInt8]
    ) -> [UInt8]? {
        for line in membership.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].first == UInt8(ascii: "/") else { continue }
            let isWanted =
                switch version {
                case .v1:
                    fields[1].split(separator: UInt8(ascii: ",")).contains {
                        $0.elementsEqual(controller.rawValue.utf8)
                    }
                case .v2: fields[0].elementsEqual("0".utf8) && fields[1].isEmpty
                }
            if isWanted { return Array(fields[2]) }
        }
        return nil
    }

    /// Of several mounts the one that shows the most of the ancestors is used.
    ///
    /// A mount that shows other cgroups than the process's own (in some containers, and when a cgroup namespace was
    /// entered or left: paths with `..`) still has at its root what stands for the container.
    private static func folders(of path: [UInt8], _ version: Version, in mounts: [CgroupMount]) -> [[UInt8]] {
        let mounts = mounts.filter { $0.version == version }
        let components = PathComponents(path)
        let showing = mounts.filter { components.below($0.root) != nil }.min { $0.root.count < $1.root.count }
        guard let mount = showing ?? mounts.first else { return [] }
        var folders = [mount.point]
        for component in components.below(mount.root) ?? [] {
            folders.append(folders[folders.endIndex - 1] + [UInt8(ascii: "/")] + component)
        }
        return folders.reversed()
    }
}
