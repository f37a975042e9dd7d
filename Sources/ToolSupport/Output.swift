#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Output that could not be written; it ends the command with 74.
package struct OutputFailure: Error {
    /// `path: io: message`; nil when the reader closed the pipe, which is no news to anybody.
    package let reason: String?
    /// True when the name alone is at fault.
    package let isNameTooLong: Bool

    /// - Parameter path: Of what could not be written, for the reason in `errno`.
    package init(_ path: String) {
        isNameTooLong = errno == ENAMETOOLONG
        reason = errno == EPIPE ? nil : "\(path): io: \(systemMessage())"
    }

    package init(_ path: String, _ message: String) {
        isNameTooLong = false
        reason = "\(path): io: \(message)"
    }
}

/// Where a command's bytes go: stdout, or a file that gets its name only when it is whole.
package final class Output {
    private let path: String
    private let descriptor: Int32
    /// Renamed to `path` by ``commit()``, removed when that does not happen.
    private var temporary: String?

    /// - Parameter path: `-` for stdout. A device or pipe is written as it is; a regular file is replaced.
    package init(path: String = "-") throws(OutputFailure) {
        var facts = stat()
        if path == "-" {
            self.path = "stdout"
            descriptor = STDOUT_FILENO
        } else if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            self.path = path
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // The file behind a link, so that the link stays.
            self.path = resolved(path) ?? path
            (descriptor, temporary) = makeTemporary(beside: self.path)
        }
        if descriptor < 0 { throw OutputFailure(path) }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
        if let temporary { unlink(temporary) }
    }

    package func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(OutputFailure) in
            try write(UnsafeRawBufferPointer(buffer))
        }
    }

    package func write(_ text: String) throws(OutputFailure) { try write(Array(text.utf8).span) }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
        guard writeAll(bytes, to: descriptor) else { throw OutputFailure(path) }
    }

    /// Gives the file its name; call it once, after the last write.
    package func commit() throws(OutputFailure) {
        guard let temporary else { return }
        guard rename(temporary, path) == 0 else { throw OutputFailure(path) }
        self.temporary = nil
    }
}

/// Prints `imagetool`'s line on stderr.
package func printError(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) }
}

/// Writes to a closed pipe, or over the size that `ulimit -f` allows, then fail and do not end the process.
package func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
}

package func exitProcess(_ code: SystemExit) -> Never { exit(code.rawValue) }

/// Writes all bytes, with as few calls as the system allows; false when it cannot, with the reason in `errno`.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
        let count = write(descriptor, left.baseAddress, left.count)
        if count >= 0 {
            left = UnsafeRawBufferPointer(rebasing: left.dropFirst(count))
        } else if errno == EAGAIN {
            // Whoever shares a pipe or terminal may have made it one that does not block.
            var full = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&full, 1, -1)
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

/// The path without links and detours; nil when nothing is there.
package func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// An empty file in the same folder, with the permissions that a new file has.
package func makeTemporary(beside path: String) -> (descriptor: Int32, path: String?) {
    // A name of its own: one made of the file's could be longer than the system allows.
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var name = Array((folder + ".imagetool.XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return (descriptor, nil) }
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, 0o666 & ~mask)
    return (descriptor, name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } })
}
