// References: cgroups(7), and the kernel documents admin-guide/cgroup-v2 and admin-guide/cgroup-v1.

/// A cgroup controller, by its name in `/proc/self/cgroup` and in the mount options of version 1.
enum CgroupController: String {
    case cpu, memory
}

/// The folders of the cgroup that limits one resource of this process, and of the ancestors of that cgroup, as far as
/// the mounted cgroup file system contains them.
struct CgroupFolders {
    enum Version { case v1, v2 }

    struct Folder {
        let version: Version
        let path: [UInt8]

        func file(_ name: StaticString) -> [UInt8] { path + [UInt8(ascii: "/")] + Array("\(name)".utf8) }

        /// The text of a file without the final newline; nil when it cannot be read.
        func text(of name: StaticString) -> [UInt8]? {
            guard var text = ProcFile.contents(of: file(name), maxBytes: 4096) else { return nil }
            if text.last == UInt8(ascii: "\n") { text.removeLast() }
            return text
        }
    }

    /// The process's cgroup, then its ancestors up to the mount point. If both cgroup versions are mounted, contains
    /// the folders of both: the files of a controller exist in only one version. Some of the folders may be missing.
    let all: [Folder]

    /// - Parameters:
    ///   - controller: The resource.
    ///   - root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the running
    ///     system.
    init(of controller: CgroupController, root: [UInt8]) {
        guard let membership = ProcFile.contents(of: root + Array("/proc/self/cgroup".utf8), maxBytes: 1 << 20),
            let mountinfo = ProcFile.contents(of: root + Array("/proc/self/mountinfo".utf8), maxBytes: 1 << 23)
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

    /// The path in a line `4:cpu,memory:/path`, or `0::/path` for version 2. The path may contain colons, but no
    /// newline.
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

    /// The folders of a cgroup path, from the mount that contains the most ancestors.
    ///
    /// In some containers, and after the process entered or left a cgroup namespace (its path then contains `..`), it
    /// is possible that no mount contains the cgroup of the process. The first mount is then used: its root is the
    /// cgroup of the container.
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
