#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes a line that whoever started the probe sees at once.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Ends the probe because the cache answered what was never stored, or what was superseded.
func lie(_ number: Int, _ detail: String = "") -> Never {
    say("lie \(number) \(detail)")
    exit(3)
}

/// Ends the probe because something is gone that no fault excuses.
func lost(_ detail: String) -> Never {
    say("lost \(detail)")
    exit(4)
}
#endif
