#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Prints a line and flushes the output, so that the test reads it immediately.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Exits with status 3: the cache returned an entry that was never stored or is superseded.
func lie(_ number: Int, _ detail: String = "") -> Never {
    say("lie \(number) \(detail)")
    exit(3)
}

/// Exits with status 4: an entry is missing that no fault excuses.
func lost(_ detail: String) -> Never {
    say("lost \(detail)")
    exit(4)
}
#endif
