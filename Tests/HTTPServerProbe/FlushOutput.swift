#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes the buffered standard output, which is a pipe or a file.
func flushOutput() { fflush(nil) }
