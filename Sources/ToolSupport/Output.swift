#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Failed write of an output; it ends the command with exit code 74.
package struct OutputFailure: Error {
    /// `path: io: message`; `nil` when the reader closed the pipe, which is not reported.
    package let reason: String?
    /// True when the cause is a file name that is too long.
    package let isNameTooLong: Bool

    /// - Parameter path: Path of the output; the reason is taken from `errno`.
    package init(_ path: String) {
        isNameTooLong = errno == ENAMETOOLONG
        reason = errno == EPIPE ? nil : "\(path): io: \(systemMessage())"
    }

    package init(_ path: String, _ message: String) {
        isNameTooLong = false
        reason = "\(path): io: \(message)"
    }
}

/// Output of a command: stdout, or a file that is written to a temporary name and renamed when it is complete.
package final class Output {
    private let path: String
    private let descriptor: Int32
    /// Folder to which `path` and `temporary` are relative; the caller owns the descriptor.
    private let folder: Int32
    /// Path of the temporary file; `nil` for stdout, a device or a pipe. ``commit()`` renames the file to `path`;
    /// without a commit, deinitialization removes it.
    private var temporary: String?

    /// - Parameter path: `-` for stdout. A device or pipe is written directly; a regular file is replaced.
    package init(path: String = "-") throws(OutputFailure) {
        folder = AT_FDCWD
        var facts = stat()
        if path == "-" {
            self.path = "stdout"
            descriptor = STDOUT_FILENO
        } else if stat(path.cPath, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            self.path = path
            descriptor = open(path.cPath, O_WRONLY | O_CLOEXEC)
        } else {
            // Resolve symbolic links, so that `commit()` replaces the target of a link and not the link itself.
            self.path = resolved(path) ?? path
            (descriptor, temporary) = makeTemporary(beside: self.path)
        }
        if descriptor < 0 { throw OutputFailure(path) }
    }

    /// Creates a file in an open folder, or replaces it; symbolic links are not followed.
    ///
    /// - Parameters:
    ///   - folder: Descriptor that stays open until ``commit()``.
    ///   - name: File name without `/`.
    /// - Throws: ``OutputFailure``, also when `name` exists and is not a regular file.
    package init(inFolder folder: Int32, name: String) throws(OutputFailure) {
        self.folder = folder
        path = name
        var facts = stat()
        if fstatat(folder, name.cPath, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT != S_IFREG {
            throw OutputFailure(name, "the path exists and is not a regular file")
        }
        (descriptor, temporary) = makeTemporary(inFolder: folder)
        if descriptor < 0 { throw OutputFailure(path) }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
        if let temporary { unlinkat(folder, temporary.cPath, 0) }
    }

    package func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(OutputFailure) in
            try write(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Writes text; paths in it that are not UTF-8 are written as ``Swift/String/printable``.
    package func write(_ text: String) throws(OutputFailure) { try write(Array(text.printable.utf8).span) }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
        guard writeAll(bytes, to: descriptor) else { throw OutputFailure(path) }
    }

    /// Renames the temporary file to its final name; call it once, after the last write.
    package func commit() throws(OutputFailure) {
        guard let temporary else { return }
        guard renameat(folder, temporary.cPath, folder, path.cPath) == 0 else { throw OutputFailure(path) }
        self.temporary = nil
    }
}

/// Prints a line on stderr; paths in it that are not UTF-8 are written as ``Swift/String/printable``.
package func printError(_ line: String) {
    Array((line.printable + "\n").utf8).withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) }
}

/// Ignores SIGPIPE and SIGXFSZ, so that a write to a closed pipe or over the file size limit (`ulimit -f`) fails
/// instead of ending the process.
package func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
}

package func exitProcess(_ code: SystemExit) -> Never { exitProcess(code.rawValue) }

package func exitProcess(_ code: Int32) -> Never { exit(code) }

/// Writes all bytes and retries partial writes; returns false on an error, with the reason in `errno`.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
        let count = write(descriptor, left.baseAddress, left.count)
        if count >= 0 {
            left = UnsafeRawBufferPointer(rebasing: left.dropFirst(count))
        } else if errno == EAGAIN {
            // Another process that shares the pipe or terminal may have set O_NONBLOCK.
            var full = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&full, 1, -1)
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

/// Absolute path without symbolic links; `nil` when the file does not exist.
package func resolved(_ path: String) -> String? {
    guard let real = realpath(path.cPath, nil) else { return nil }
    defer { free(real) }
    return String(cPath: real)
}

/// Creates an empty temporary file in the folder of `path`, with the permissions 0666 reduced by the umask.
package func makeTemporary(beside path: String) -> (descriptor: Int32, path: String?) {
    makeTemporary(inFolder: AT_FDCWD, prefix: path.lastSlash.map { String(path[...$0]) } ?? "")
}

/// Creates an empty temporary file in an open folder.
///
/// Not with `mkstemp`, which creates files for the owner only: a later change of the permissions needs the umask, which
/// can be read only by changing it for all threads.
private func makeTemporary(inFolder folder: Int32, prefix: String = "") -> (descriptor: Int32, path: String?) {
    while true {
        // A name derived from the file's name could exceed the system's limit for names.
        let path = prefix + ".imagetool.\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let descriptor = openat(folder, path.cPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        if descriptor >= 0 { return (descriptor, path) }
        if errno != EEXIST { return (descriptor, nil) }
    }
}
