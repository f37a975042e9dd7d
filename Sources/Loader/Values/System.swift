#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// C library calls that do not access files.
enum System {
    /// Returns an environment variable; nil when it is not set.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Returns the message of an `errno` value.
    static func message(ofError number: Int32) -> String { String(cString: strerror(number)) }

    /// The process ID.
    static var process: Int32 { getpid() }

    /// Returns true when no process with this ID exists.
    static func hasEnded(process: Int32) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

    /// Yields the processor to other threads.
    static func yieldThread() { sched_yield() }

    /// Milliseconds of the calendar clock since 1970-01-01 00:00 UTC.
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
