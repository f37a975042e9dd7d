#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Calls of the C library that have nothing to do with files.
enum System {
    /// A variable of the environment; nil when it is not set.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The message of an error number.
    static func message(ofError number: Int32) -> String { String(cString: strerror(number)) }

    /// The number of this process.
    static var process: Int32 { getpid() }

    /// True when no process of this number runs.
    static func hasEnded(process: Int32) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

    /// Lets other threads of the system run first.
    static func yieldThread() { sched_yield() }

    /// Milliseconds of the calendar clock since 1970-01-01 00:00 UTC.
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
#endif
