#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What stdout and stderr are connected to.
enum Terminal {
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isError: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal; nil when stdout is none or does not say.
    static var columns: Int? { columns(of: STDOUT_FILENO) }
    /// The same of stderr.
    static var errorColumns: Int? { columns(of: STDERR_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
