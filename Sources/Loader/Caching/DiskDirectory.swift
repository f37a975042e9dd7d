#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The open folder `<directory>/v1` with the shards in it.
///
/// Everything is opened relative to its descriptor, and nothing through a shard that is no folder, so no link inside the
/// cache is ever followed.
///
/// Write access to the folder decides what loads return, so it must belong to the effective user or to root, and neither
/// its group nor others may write to it. A sticky folder such as `/tmp` may be `<directory>` all the same: what others
/// put into it is not ours to lose, and `v1` is checked by itself. The folders above are the caller's affair.
final class DiskDirectory: Sendable {
    private let root: Int32

    /// Opens the folder, and with `creating` makes it and its parents, readable by their owner alone.
    init(path: String, creating: Bool) throws(DiskError) {
        let name = path.utf8.map { CChar(bitPattern: $0) } + [0]
        if creating { try Self.makeFolders(path) }
        let parent = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw .last }
        let folder = DiskFile(owning: parent)
        try Self.check(folder, mayBeSticky: true, "the folder")
        let version = try Self.folder(Self.version, in: parent, creating: creating)
        try Self.check(version, mayBeSticky: false, "its folder v1")
        root = version.release()
    }

    /// True for a folder of which ``init(path:creating:)`` would use what lies directly in it.
    static func isTrusted(_ path: String) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        return (try? check(DiskFile(owning: folder), mayBeSticky: true, "the folder")) != nil
    }

    /// Throws EPERM for a folder that others may write to.
    private static func check(
        _ folder: borrowing DiskFile, mayBeSticky: Bool, _ name: String
    ) throws(DiskError) {
        guard let mistrust = try folder.status().mistrust(allowsSticky: mayBeSticky) else { return }
        throw DiskError(code: EPERM, detail: "\(name) is not used: \(mistrust)")
    }

    deinit { _ = DiskFile(owning: root) }

    /// Opens a shard's folder.
    func shard(_ index: Int) throws(DiskError) -> DiskFile {
        try Self.folder(DiskName.shardName(index), in: root, creating: false)
    }

    /// Opens an entry's file to read it.
    ///
    /// Opening through the shard and asking what that is costs a microsecond less than opening both, and nothing needs
    /// to be asked when nothing is there. That somebody puts a link there in between is no danger, since whoever can may
    /// write entries as well.
    func file(_ name: DiskName) throws(DiskError) -> DiskFile {
        let file = try DiskFile(in: root, name: name.pathInShard(name.fileName), flags: O_RDONLY)
        try checkShard(name)
        return file
    }

    /// Makes a file in the shard of an entry, and the shard if it must.
    ///
    /// - Parameter path: From ``DiskName/pathInShard(_:)``.
    func newFile(_ path: [CChar], of name: DiskName) throws(DiskError) -> DiskFile {
        try makeShard(name)
        return try DiskFile(in: root, name: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    }

    /// Makes the shard of an entry, unless it is there.
    func makeShard(_ name: DiskName) throws(DiskError) {
        do {
            return try checkShard(name)
        } catch {
            guard error.isMissing else { throw error }
        }
        if mkdirat(root, DiskName.shardName(name.shard), 0o700) != 0, errno != EEXIST { throw .last }
        try checkShard(name)
    }

    /// Type, length, dates, identity of what has this path.
    func status(_ path: [CChar]) throws(DiskError) -> DiskStatus { try DiskStatus(in: root, name: path) }

    /// Gives a file another name, in place of the file that has it.
    func rename(_ path: [CChar], to other: [CChar]) throws(DiskError) {
        if renameat(root, path, root, other) != 0 { throw .last }
    }

    /// Removes a file, if it is there.
    func remove(_ path: [CChar]) { unlinkat(root, path, 0) }

    /// Makes sure that the shard is a folder: through anything else, a link above all, nothing is opened.
    private func checkShard(_ name: DiskName) throws(DiskError) {
        guard try DiskStatus(in: root, name: DiskName.shardName(name.shard)).isFolder else {
            throw DiskError(code: ENOTDIR)
        }
    }

    private static func folder(_ name: [CChar], in parent: Int32, creating: Bool) throws(DiskError) -> DiskFile {
        do {
            return try DiskFile(in: parent, name: name, flags: O_RDONLY | O_DIRECTORY)
        } catch {
            guard creating, error.isMissing else { throw error }
        }
        if mkdirat(parent, name, 0o700) != 0, errno != EEXIST { throw .last }
        return try DiskFile(in: parent, name: name, flags: O_RDONLY | O_DIRECTORY)
    }

    /// The lock that one sweeper of all processes holds; nil when somebody else has it. Closing it lets go.
    func sweepLock() throws(DiskError) -> DiskFile? {
        let name = "../sweep.lock".utf8.map { CChar($0) } + [0]
        let file = try DiskFile(in: root, name: name, flags: O_RDWR | O_CREAT, mode: 0o600)
        guard try file.status().isRegular else { throw DiskError(code: ENOTDIR) }
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            if errno != EINTR { throw .last }
        }
        return file
    }

    private static let version: [CChar] = "v1".utf8.map { CChar($0) } + [0]

    private static func makeFolders(_ path: String) throws(DiskError) {
        let bytes = Array(path.utf8)
        for end in bytes.indices where end > 0 && (bytes[end] == UInt8(ascii: "/") || end == bytes.count - 1) {
            let isLast = end == bytes.count - 1
            let part = bytes[..<(isLast ? bytes.count : end)].map { CChar(bitPattern: $0) } + [0]
            if mkdir(part, 0o700) != 0 {
                // A folder that exists may be in a place where we could make none: EROFS, EACCES.
                let failure = DiskError.last
                var information = stat()
                guard stat(part, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else { throw failure }
            }
        }
    }
}

/// What a shard's folder holds of ours.
struct DiskListing {
    /// By name alone: whether each is a file is yet to be seen.
    private(set) var entries: [DiskName] = []
    /// Names that end with 0, and the process of each.
    private(set) var temporaries: [(name: [CChar], process: pid_t)] = []

    /// Nothing.
    init() {}

    /// Lists a folder; names that are not ours are passed over.
    init(of shard: Int, in directory: DiskDirectory) throws(DiskError) {
        let number = try directory.shard(shard).release()
        guard let stream = fdopendir(number) else {
            let failure = DiskError.last
            _ = DiskFile(owning: number)
            throw failure
        }
        defer { closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        while true {
            errno = 0
            guard let found = readdir(stream) else {
                if errno != 0 { throw .last }
                return
            }
            // The record may be shorter than the type says: the name is read in place, up to its end.
            let name = UnsafeRawPointer(found) + nameOffset
            let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name.assumingMemoryBound(to: CChar.self)))
            if let entry = DiskName(shard: shard, fileName: bytes) {
                entries.append(entry)
            } else if let process = DiskName.process(ofTemporary: bytes) {
                temporaries.append((bytes.map { CChar(bitPattern: $0) } + [0], process))
            }
        }
    }
}
#endif
