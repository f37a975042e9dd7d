#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is asked of the C library outside of the disk cache.
enum System {
    /// A variable of the environment; nil when it is not set.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The message of an error number.
    static func message(ofError number: Int32) -> String { String(cString: strerror(number)) }

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
