import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A folder outside of which no path leads, whatever other processes do to the files in it.
///
/// Paths are resolved name by name from open descriptors, as `openat2` does with `RESOLVE_BENEATH` on Linux from 5.6:
/// a symbolic link is read and its names are resolved in the same way, and `..` closes the current folder, so a renamed
/// folder cannot lead outside.
final class ConfinedFolder: Sendable {
    /// Maximum number of symbolic links in one path, as in Linux (`ELOOP`).
    private static let maxLinks = 40

    private let root: Int32
    /// Absolute paths below the folder start with one of these prefixes, which end with `/`.
    private let prefixes: [String]

    /// - Throws: `noInput` when the path is not a folder that can be opened.
    init(path: String) throws(Failure) {
        root = open(path.cPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0, let real = resolved(path) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        prefixes = [path, real].filter { $0.utf8.first == UInt8(ascii: "/") }
            .map { $0.utf8.last == UInt8(ascii: "/") ? $0 : $0 + "/" }
    }

    deinit { close(root) }

    /// Opens a file for reading; the caller closes the descriptor and checks the type of the file.
    ///
    /// - Throws: `outsideRoot`, or `noInput` when there is no file that can be read.
    func openFile(_ path: String) throws -> Int32 {
        try withParent(of: path, createsFolders: false) { folder, name in
            // O_NONBLOCK, because opening a FIFO would block; it has no effect on regular files.
            let descriptor = openat(folder, name.cPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
            return descriptor
        }
    }

    /// Calls `body` with an output that replaces the file at `path`; creates missing folders.
    ///
    /// - Throws: `outsideRoot`, `io`, or the error of `body`.
    func withOutput(_ path: String, _ body: (Output) throws -> Void) throws {
        try withParent(of: path, createsFolders: true) { folder, name in
            let output = try Output(inFolder: folder, name: name)
            try body(output)
            try output.commit()
        }
    }

    /// Resolves all names of a path and calls `body` with the descriptor of the last folder and the last name, which is
    /// not a symbolic link, if it exists.
    private func withParent<R>(
        of path: String, createsFolders: Bool, _ body: (Int32, String) throws -> R
    ) throws -> R {
        func failure(_ message: String) -> Failure {
            createsFolders ? Failure(.ioError, "io: \(message)") : Failure(.noInput, "noInput: \(message)")
        }
        var names = try self.names(of: path)
        var folders: [Int32] = []
        defer { for folder in folders { close(folder) } }
        var linkCount = 0
        while let name = names.popLast() {
            let folder = folders.last ?? root
            if name == ".." {
                guard let last = folders.popLast() else { throw Self.outside }
                close(last)
            } else if let target = Self.link(in: folder, name) {
                linkCount += 1
                guard linkCount <= Self.maxLinks else { throw failure("the path has too many symbolic links") }
                names += try self.names(of: target)
                if target.utf8.first == UInt8(ascii: "/") {
                    for folder in folders { close(folder) }
                    folders = []
                }
            } else if names.isEmpty {
                return try body(folder, name)
            } else {
                if createsFolders { mkdirat(folder, name.cPath, 0o777) }
                let next = openat(folder, name.cPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard next >= 0 else { throw failure(systemMessage()) }
                folders.append(next)
            }
        }
        throw failure("the path is a folder")
    }

    /// The names of a path relative to the root, last name first.
    ///
    /// - Throws: `outsideRoot` for an absolute path that is not below the root.
    private func names(of path: String) throws(Failure) -> [String] {
        var path = path
        if path.utf8.first == UInt8(ascii: "/") {
            guard let prefix = prefixes.first(where: { path.utf8.starts(with: $0.utf8) }) else { throw Self.outside }
            path = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
        return path.pathComponents.filter { $0 != "." }.reversed()
    }

    /// Target of a symbolic link; `nil` for anything else.
    private static func link(in folder: Int32, _ name: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { target in
            guard let start = target.baseAddress else { return nil }
            let count = readlinkat(folder, name.cPath, start, target.count)
            return count < 0 ? nil : String(pathBytes: UnsafeRawBufferPointer(target).prefix(count))
        }
    }

    private static var outside: Failure {
        Failure(.usage, "outsideRoot: the path leads outside the folder of --root")
    }
}
