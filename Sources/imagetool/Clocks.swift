#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a piece of work took, in nanoseconds.
struct Elapsed {
    /// CPU time of all threads of the process, in user and system mode.
    var cpu: Double
    var wall: Double

    /// Runs `work` and measures it.
    static func time(_ work: () throws -> Void) rethrows -> Elapsed {
        let (cpu, wall) = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC))
        try work()
        return Elapsed(
            cpu: nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: nanoseconds(CLOCK_MONOTONIC) - wall)
    }
}

/// What `clock` shows now.
func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The `model name` line of `/proc/cpuinfo`; nil elsewhere.
func cpuModel() -> String? {
    guard let bytes = try? readInput("/proc/cpuinfo", limit: 1 << 20) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
}
