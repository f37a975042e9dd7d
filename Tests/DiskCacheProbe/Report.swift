#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Prints a line and flushes the output, so that the test reads it immediately.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// Exits with status 3: the cache returned an entry that was never stored or is superseded.
func failWrongData(_ number: Int, _ detail: String = "") -> Never {
    printLine("wrong \(number) \(detail)")
    exit(3)
}

/// Exits with status 4: an entry is missing and no fault explains that.
func failMissingData(_ detail: String) -> Never {
    printLine("missing \(detail)")
    exit(4)
}
