import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Device and inode of a regular file; equal for all paths of the same file.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Returns `nil` when the path is not a regular file.
    init?(path: String) {
        var facts = stat()
        guard stat(path.cPath, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(truncatingIfNeeded: facts.st_dev)
        inode = UInt64(truncatingIfNeeded: facts.st_ino)
    }
}

/// Size and modification time of a file, for detecting changes.
struct FileFacts: Equatable, Sendable {
    let byteCount: Int
    /// Modification time in nanoseconds since 1970.
    let modified: Int

    init(byteCount: Int, modified: Int) {
        self.byteCount = byteCount
        self.modified = modified
    }

    /// Returns `nil` when the file is missing, and for `-` (stdin).
    init?(path: String) {
        var facts = stat()
        guard path != "-", stat(path.cPath, &facts) == 0 else { return nil }
        #if canImport(Darwin)
        let time = facts.st_mtimespec
        #else
        let time = facts.st_mtim
        #endif
        byteCount = Int(facts.st_size)
        modified = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
