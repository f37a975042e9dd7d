/// A line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)) that mounts a cgroup hierarchy:
///
///     35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
struct CgroupMount {
    let version: CgroupFolders.Version
    /// The cgroup at the mount point.
    let root: PathComponents
    /// The path of the mount point.
    let point: [UInt8]

    /// The mounts of cgroups version 2, and the mounts of version 1 that have the controller.
    static func all(in mountinfo: [UInt8], of controller: CgroupController) -> [CgroupMount] {
        mountinfo.split(separator: UInt8(ascii: "\n")).compactMap { CgroupMount(line: $0, controller) }
    }

    private init?(line: ArraySlice<UInt8>, _ controller: CgroupController) {
        // Empty fields are not omitted: a mount may have an empty source.
        let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count >= 10, let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
            fields.indices.contains(dash + 3)
        else { return nil }
        let options = fields[dash + 3].split(separator: UInt8(ascii: ","))
        if fields[dash + 1].elementsEqual("cgroup2".utf8) {
            version = .v2
        } else if fields[dash + 1].elementsEqual("cgroup".utf8),
            options.contains(where: { $0.elementsEqual(controller.rawValue.utf8) })
        {
            version = .v1
        } else {
            return nil
        }
        root = PathComponents(Self.unescaped(fields[3]))
        point = Self.unescaped(fields[4])
        guard point.first == UInt8(ascii: "/"), point.count < PathComponents.maxPathBytes else { return nil }
    }

    /// Decodes space, tab, newline and backslash, which are written as a backslash and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), let value = octal(digits) {
                result.append(value)
                rest.removeFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func octal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 3, digits.allSatisfy({ $0 & 0xf8 == UInt8(ascii: "0") }) else { return nil }
        return UInt8(exactly: digits.reduce(0) { $0 * 8 + Int($1 & 7) })
    }
}

/// The components of a cgroup path.
struct PathComponents {
    /// `PATH_MAX` of Linux in bytes, which includes the final NUL: a valid path is shorter.
    static let maxPathBytes = 4096

    private let names: [ArraySlice<UInt8>]

    /// Number of components up to and including the last `..`; 0 when the path has no `..`.
    private let leadingUp: Int

    /// Splits a path at slashes; a path of ``maxPathBytes`` or more has no components.
    init(_ path: [UInt8]) {
        names = path.count < Self.maxPathBytes ? path.split(separator: UInt8(ascii: "/")) : []
        leadingUp = names.lastIndex { $0.elementsEqual("..".utf8) }.map { $0 + 1 } ?? 0
    }

    var count: Int { names.count }

    /// The components after those of `root`, empty when the paths are equal; nil when the path does not begin with
    /// `root`, or when a `..` follows the components of `root`.
    func below(_ root: PathComponents) -> ArraySlice<ArraySlice<UInt8>>? {
        guard leadingUp <= root.count, names.starts(with: root.names) else { return nil }
        return names.dropFirst(root.count)
    }
}
