#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The open folder `<directory>/v1`, which contains the shards: 256 folders of entries.
///
/// All paths are opened relative to its descriptor, and a shard must be a real folder, so symbolic links inside the
/// cache are never followed.
///
/// A user with write access to the folder can change the responses that loads return. So the folder must be owned by
/// the effective user or root and not be writable by its group or others. A sticky folder such as `/tmp` is accepted as
/// `<directory>`: other users cannot replace files in it that they do not own, and `v1` is checked separately. Parent
/// folders are the caller's responsibility.
final class DiskDirectory: Sendable {
    private let root: Int32

    /// Opens the folder; `creating` also creates it and its parents with mode 0700.
    init(path: String, creating: Bool) throws(DiskError) {
        let name = path.utf8.map { CChar(bitPattern: $0) } + [0]
        if creating { try Self.makeFolders(path) }
        let parent = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw .last }
        let folder = DiskFile(owning: parent)
        try Self.check(folder, mayBeSticky: true, "the folder")
        let version = try Self.folder(Self.version, in: parent, creating: creating)
        try Self.check(version, mayBeSticky: false, "the subfolder v1")
        root = version.release()
    }

    /// Creates the folder when it is missing, as ``init(path:creating:)`` does.
    ///
    /// - Returns: Reason why the folder cannot be used as a disk cache; nil when it can.
    static func problem(_ path: String) -> String? {
        do throws(DiskError) {
            _ = try Self(path: path, creating: true)
            return nil
        } catch {
            return error.detail ?? String(cString: strerror(error.code))
        }
    }

    /// Returns true when ``init(path:creating:)`` would accept the folder itself; `v1` in it is not checked.
    static func isTrusted(_ path: String) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        return (try? check(DiskFile(owning: folder), mayBeSticky: true, "the folder")) != nil
    }

    /// Throws EPERM for a folder that another user owns or that other users may write to. With `mayBeSticky` a sticky
    /// folder is accepted.
    private static func check(
        _ folder: borrowing DiskFile, mayBeSticky: Bool, _ name: String
    ) throws(DiskError) {
        guard let untrustedReason = try folder.status().untrustedReason(allowsSticky: mayBeSticky) else { return }
        throw DiskError(code: EPERM, detail: "\(name) is not used: \(untrustedReason)")
    }

    deinit { _ = DiskFile(owning: root) }

    /// Opens the folder of a shard.
    func shard(_ index: Int) throws(DiskError) -> DiskFile {
        try Self.folder(DiskName.shardName(index), in: root, creating: false)
    }

    /// Opens the file of an entry for reading.
    ///
    /// The file is opened by its path, and the shard is checked afterwards. This is a microsecond faster than opening
    /// first the shard and then the file, and for a missing file no check is necessary. A symbolic link that replaces
    /// the shard between the two calls is no additional risk: replacing a shard requires write access to the folder,
    /// which permits writing entries too.
    func file(_ name: DiskName) throws(DiskError) -> DiskFile {
        let file = try DiskFile(in: root, name: name.pathInShard(name.fileName), flags: O_RDONLY)
        try checkShard(name)
        return file
    }

    /// Creates a file in the shard of an entry, and the shard when it is missing.
    ///
    /// - Parameter path: From ``DiskName/pathInShard(_:)``.
    func newFile(_ path: [CChar], of name: DiskName) throws(DiskError) -> DiskFile {
        try makeShard(name)
        return try DiskFile(in: root, name: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    }

    /// Creates the shard of an entry when it is missing.
    func makeShard(_ name: DiskName) throws(DiskError) {
        do {
            return try checkShard(name)
        } catch {
            guard error.isMissing else { throw error }
        }
        if mkdirat(root, DiskName.shardName(name.shard), 0o700) != 0, errno != EEXIST { throw .last }
        try checkShard(name)
    }

    /// Returns type, owner, permissions, length, modification date and identity of the file at a path.
    func status(_ path: [CChar]) throws(DiskError) -> DiskStatus { try DiskStatus(in: root, name: path) }

    /// Renames a file, replacing any file with the new name.
    func rename(_ path: [CChar], to other: [CChar]) throws(DiskError) {
        if renameat(root, path, root, other) != 0 { throw .last }
    }

    /// Removes a file; errors are ignored, for example when it is missing.
    func remove(_ path: [CChar]) { unlinkat(root, path, 0) }

    /// Throws ENOTDIR when the shard is not a folder, for example when it is a symbolic link, and ENOENT when it is
    /// missing.
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

    /// Acquires the lock for evicting entries, which all processes share; nil when another process holds it. Closing
    /// the returned file releases the lock.
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
        for end in bytes.indices {
            let isLast = end == bytes.count - 1
            guard isLast || end > 0 && bytes[end] == UInt8(ascii: "/") else { continue }
            let part = bytes[..<(isLast ? bytes.count : end)].map { CChar(bitPattern: $0) } + [0]
            if mkdir(part, 0o700) != 0 {
                // `mkdir` of an existing folder can fail with EROFS or EACCES instead of EEXIST.
                let failure = DiskError.last
                var information = stat()
                guard stat(part, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else { throw failure }
            }
        }
    }
}

/// The cache's files in the folder of one shard.
struct DiskListing {
    /// The names of entries. The file type is not checked: an entry may turn out not to be a regular file.
    private(set) var entries: [DiskName] = []
    /// Zero-terminated names of temporary files, with the process ID in each.
    private(set) var temporaries: [(name: [CChar], process: pid_t)] = []

    /// An empty listing.
    init() {}

    /// Lists the folder of a shard; skips names that the cache does not create.
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
            // A record may be shorter than `dirent`: read the name in place, up to its terminating zero.
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
