#if canImport(Glibc)
public import Glibc
#elseif canImport(Musl)
public import Musl
#else
public import Darwin
#endif

/// CPU time and wall time of a measured operation, in nanoseconds.
public struct Elapsed: Sendable {
    /// CPU time of all threads of the process, in user and system mode.
    public var cpu: Double
    public var wall: Double

    public init(cpu: Double, wall: Double) {
        self.cpu = cpu
        self.wall = wall
    }

    /// Measures one call of `work`.
    public static func time(_ work: () throws -> Void) rethrows -> Elapsed {
        let (cpu, wall) = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC))
        try work()
        return Elapsed(
            cpu: nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: nanoseconds(CLOCK_MONOTONIC) - wall)
    }
}

/// Current time of `clock` in nanoseconds.
public func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Median of the values; `nil` for an empty array.
public func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
