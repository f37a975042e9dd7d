#if Service
import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files that the service may read: regular ones below a folder, found without following a link (SERVICE.md SV16).
final class SourceFiles: Sendable {
    private let root: Int32
    private let maxBytes: Int

    /// A file as it was read.
    struct File: Hashable, Sendable {
        /// All of it.
        let bytes: [UInt8]
        /// When it was last changed, in seconds since 1970, 0 or more; nil for a file that is dated before.
        let modified: Int64?
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
        let outcome: Result<File, ServiceError>
        do throws(DiskError) {
            outcome = try read(name, below: names.dropLast(), in: root)
        } catch {
            throw Self.failure(error)
        }
        return try outcome.get()
    }

    private func read(
        _ name: String, below folders: ArraySlice<String>, in folder: Int32
    ) throws(DiskError) -> Result<File, ServiceError> {
        if let next = folders.first {
            let opened = try DiskFile(in: folder, name: Self.cString(next), flags: O_RDONLY | O_DIRECTORY)
            return try read(name, below: folders.dropFirst(), in: opened.descriptor)
        }
        let name = Self.cString(name)
        // Opening a device or a pipe can do something already, so it is looked at first.
        guard try DiskStatus(in: folder, name: name).isRegular else { return .failure(Self.notFound) }
        let file = try DiskFile(in: folder, name: name, flags: O_RDONLY | O_NOCTTY)
        let status = try file.status()
        guard status.isRegular else { return .failure(Self.notFound) }
        guard status.length <= maxBytes else {
            return .failure(ServiceError(.tooLarge, "the source has more bytes than allowed"))
        }
        // A file that says it is empty and has something to say all the same is one of the kernel's.
        guard let bytes = try file.bytes(at: 0, count: status.length) else {
            return .failure(ServiceError(.internalFault, "the source was cut while it was read"))
        }
        let seconds = status.modified.seconds
        return .success(File(bytes: bytes, modified: seconds >= 0 ? seconds : nil))
    }

    private static func cString(_ name: String) -> [CChar] { name.utf8CString.map { $0 } }

    /// What is not there, or no file of ours to read, is all the same to a client; what ails this machine is not.
    private static func failure(_ error: DiskError) -> ServiceError {
        switch error.code {
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENXIO, ENAMETOOLONG: notFound
        default: ServiceError(.internalFault, "the source cannot be read")
        }
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

    private static var notFound: ServiceError { ServiceError(.notFound, "no such file") }
}
#endif
