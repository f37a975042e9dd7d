#if Service
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files that the service may read: regular ones below a folder, found without following a link (SERVICE.md SV16).
final class SourceFiles: Sendable {
    private let root: Int32
    private let maxBytes: Int

    /// A file as it was read.
    struct File: Hashable, Sendable {
        /// All of it.
        let bytes: [UInt8]
        /// Seconds since 1970, and nanoseconds of a second.
        let modified: (seconds: Int, nanoseconds: Int)
        /// The file's number within its volume.
        let number: UInt64

        static func == (a: Self, b: Self) -> Bool {
            a.bytes == b.bytes && a.modified == b.modified && a.number == b.number
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(modified.seconds)
            hasher.combine(modified.nanoseconds)
        }
    }

    /// The files below a folder, which must be there; a link as the folder itself is followed, once.
    ///
    /// - Parameter maxBytes: Of one file.
    /// - Throws: `internalFault` when there is no such folder.
    init(root: String, maxBytes: Int) throws(ServiceError) {
        let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ServiceError(.internalFault, "the folder of sources cannot be opened") }
        self.root = descriptor
        self.maxBytes = maxBytes
    }

    deinit { close(root) }

    /// Reads a file; blocks.
    ///
    /// - Parameter path: Below the folder, with slashes, decoded already: an escape in it is part of a name.
    /// - Throws: `notFound` for what is not there, is no regular file, or is named in a way that could lead out;
    ///   `tooLarge`; `internalFault` when it cannot be read.
    func read(_ path: String) throws(ServiceError) -> File {
        guard let names = Self.names(in: path), let name = names.last else { throw Self.notFound }
        var folder = root
        defer { if folder != root { close(folder) } }
        for name in names.dropLast() {
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Self.notFound }
            if folder != root { close(folder) }
            folder = next
        }
        return try read(name, in: folder)
    }

    private func read(_ name: String, in folder: Int32) throws(ServiceError) -> File {
        var facts = stat()
        // Opening a device or a pipe can do something already, so it is looked at first.
        guard fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, Self.isRegular(facts) else {
            throw Self.notFound
        }
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.notFound }
        defer { close(descriptor) }
        guard fstat(descriptor, &facts) == 0, Self.isRegular(facts) else { throw Self.notFound }
        guard facts.st_size <= maxBytes else { throw ServiceError(.tooLarge, "the source has more bytes than allowed") }
        // A file that says it is empty and has something to say all the same is one of the kernel's.
        let bytes = try Self.bytes(of: descriptor, count: Int(facts.st_size))
        return File(
            bytes: bytes, modified: (Int(facts.st_mtim.tv_sec), Int(facts.st_mtim.tv_nsec)),
            number: UInt64(facts.st_ino))
    }

    /// So many bytes; fewer when the file is cut while it is read.
    private static func bytes(of descriptor: Int32, count: Int) throws(ServiceError) -> [UInt8] {
        var isBroken = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
                if got < 0, errno == EINTR { continue }
                isBroken = got < 0
                guard got > 0 else { break }
                filled += got
            }
        }
        if isBroken { throw ServiceError(.internalFault, "the source cannot be read") }
        return bytes
    }

    /// The names between the slashes; nil for a path that does not stay below where it begins, or that some system could
    /// read so: absolute, with `.` or `..`, NUL or a backslash, an empty name, or too long.
    static func names(in path: String) -> [String]? {
        guard (1...4_096).contains(path.utf8.count), !path.utf8.contains(where: { $0 == 0 || $0 == 0x5C }) else {
            return nil
        }
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }) else { return nil }
        return names.map(String.init)
    }

    private static func isRegular(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFREG }

    private static var notFound: ServiceError { ServiceError(.notFound, "no such file") }
}
#endif
