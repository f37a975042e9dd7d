import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files that requests of `imagetool worker` read and write: all files, or those below the folder of `--root`.
struct WorkerFiles: Sendable {
    private let root: ConfinedFolder?

    /// - Parameter root: Path of the folder; `nil` for no restriction.
    /// - Throws: `noInput` when the folder cannot be opened.
    init(root: String?) throws(Failure) {
        self.root = try root.map { path throws(Failure) in try ConfinedFolder(path: path) }
    }

    /// Reads a regular file.
    ///
    /// - Parameter limit: Maximum number of bytes; `nil` means no limit.
    /// - Throws: `outsideRoot`, `noInput`, `io` or `limitExceeded`.
    func read(_ path: String, limit: Int?) throws -> [UInt8] {
        try Self.check(path)
        let descriptor: Int32
        if let root {
            descriptor = try root.openFile(path)
        } else {
            // O_NONBLOCK, because opening a FIFO would block; it has no effect on regular files.
            descriptor = open(path.cPath, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.noInput, "noInput: the path is not a regular file")
        }
        return try readInput(descriptor: descriptor, limit: limit)
    }

    /// Calls `body` with an output that replaces the file at `path` when `body` returns; creates missing folders.
    ///
    /// - Throws: `outsideRoot`, `io`, or the error of `body`.
    func write(_ path: String, _ body: (Output) throws -> Void) throws {
        try Self.check(path)
        do {
            if let root { return try root.withOutput(path, body) }
            // `-` is stdout for `Output`.
            let path = path == "-" ? "./-" : path
            var facts = stat()
            if stat(path.cPath, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
                throw OutputFailure(path, "the path exists and is not a regular file")
            }
            makeFolders(of: path)
            let output = try Output(path: path)
            try body(output)
            try output.commit()
        } catch let failure as OutputFailure {
            throw Failure(.ioError, "io: the output cannot be written: \(failure.reason ?? path)")
        }
    }

    /// A path with a null character would be cut at it.
    private static func check(_ path: String) throws(Failure) {
        guard !path.utf8.contains(0) else { throw Failure(.noInput, "noInput: the path contains a null character") }
    }
}
