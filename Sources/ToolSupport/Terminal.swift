#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Terminal properties of stdin, stdout and stderr.
package enum Terminal {
    /// True when stdin is a terminal.
    package static var isInput: Bool { isatty(STDIN_FILENO) == 1 }
    package static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var isError: Bool { isatty(STDERR_FILENO) == 1 }

    /// Error for a command that would write an image to a terminal.
    package static let refusal = ValidationError(
        "stdout is a terminal, and an image is binary data; use --output FILE, or redirect stdout.")

    /// Columns of the terminal on stdout; `nil` when stdout is not a terminal or the width is unknown.
    package static var columns: Int? { columns(of: STDOUT_FILENO) }
    /// Columns of the terminal on stderr; `nil` when stderr is not a terminal or the width is unknown.
    package static var errorColumns: Int? { columns(of: STDERR_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
