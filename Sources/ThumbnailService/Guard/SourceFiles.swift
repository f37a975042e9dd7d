import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads regular files below a directory, without following symbolic links (SV16 in Docs/service-security.md).
final class SourceFiles: Sendable {
    private let root: Int32
    private let maxBytes: Int

    /// Content and date of a file.
    struct File: Hashable, Sendable {
        /// Complete content.
        let bytes: [UInt8]
        /// Modification time in seconds since 1970, 0 or more; nil for an earlier date.
        let modified: Int64?
    }

    /// Opens the root directory; the root itself may be a symbolic link.
    ///
    /// - Parameter maxBytes: Maximum size of a file.
    /// - Throws: `internalFault` when the directory cannot be opened.
    init(root: String, maxBytes: Int) throws(ServiceError) {
        let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ServiceError(
                .internalFault, "source.fileRoot or iiif.map: the directory \(root) cannot be opened")
        }
        self.root = descriptor
        self.maxBytes = maxBytes
    }

    deinit { close(root) }

    /// Reads a file; blocks.
    ///
    /// - Parameter path: Relative path with slashes, already percent-decoded: a further escape is part of a name.
    /// - Throws: `notFound` when the file does not exist, is not accessible, is not regular, or has a path that
    ///   ``names(in:)`` refuses; `tooLarge` when it has more than `maxBytes` bytes; `internalFault` for other errors.
    func read(_ path: String) throws(ServiceError) -> File {
        guard let names = Self.names(in: path), let name = names.last else { throw Self.notFound }
        let result: Result<File, ServiceError>
        do throws(DiskError) {
            result = try read(name, below: names.dropLast(), in: root)
        } catch {
            throw Self.failure(error)
        }
        return try result.get()
    }

    private func read(
        _ name: String, below folders: ArraySlice<String>, in folder: Int32
    ) throws(DiskError) -> Result<File, ServiceError> {
        if let next = folders.first {
            let opened = try DiskFile(in: folder, name: Self.cString(next), flags: O_RDONLY | O_DIRECTORY)
            return try read(name, below: folders.dropFirst(), in: opened.descriptor)
        }
        let name = Self.cString(name)
        // Opening a device or a pipe can have side effects, so the type is checked first.
        guard try DiskStatus(in: folder, name: name).isRegular else { return .failure(Self.notFound) }
        let file = try DiskFile(in: folder, name: name, flags: O_RDONLY | O_NOCTTY)
        let status = try file.status()
        guard status.isRegular else { return .failure(Self.notFound) }
        guard status.length <= maxBytes else {
            return .failure(
                ServiceError(.tooLarge, "the source has \(status.length) bytes, the limit is \(maxBytes) bytes"))
        }
        // Reads `status.length` bytes only: pseudo-files in `/proc` report a size of 0 and are read as empty files.
        guard let bytes = try file.bytes(at: 0, count: status.length) else {
            return .failure(ServiceError(.internalFault, "the source was truncated while it was read"))
        }
        let seconds = status.modified.seconds
        return .success(File(bytes: bytes, modified: seconds >= 0 ? seconds : nil))
    }

    private static func cString(_ name: String) -> [CChar] { name.utf8CString.map { $0 } }

    /// Maps missing and inaccessible files to `notFound`, other errors to `internalFault`.
    private static func failure(_ error: DiskError) -> ServiceError {
        switch error.code {
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENXIO, ENAMETOOLONG: notFound
        default: ServiceError(.internalFault, "the file of the source cannot be read")
        }
    }

    /// Splits a path into names. Returns nil for a path that could leave the root on some system: an absolute path, and
    /// a path with `.`, `..`, NUL, a backslash or an empty name. Also returns nil when the path or a name is too long.
    static func names(in path: String) -> [String]? {
        guard (1...4_096).contains(path.utf8.count), !path.utf8.contains(where: { $0 == 0 || $0 == 0x5C }) else {
            return nil
        }
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }) else { return nil }
        return names.map(String.init)
    }

    private static var notFound: ServiceError { ServiceError(.notFound, "the file does not exist") }
}
