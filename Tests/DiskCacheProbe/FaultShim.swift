#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Functions of the preloaded library of `Tests/FaultShim`. If the library is not loaded, the probe exits with 64.
enum FaultShim {
    /// Halves the bytes of a transfer.
    static let short: Int32 = -1
    /// Kills the process before the call, after it, or after half of its bytes.
    static let kills: [Int32] = [-2, -3, -4]

    private typealias Arm =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, Int32, Int, Int, UInt32, UInt64
        ) -> Void
    private typealias Count = @convention(c) () -> Int

    /// Makes calls on paths below `folder` fail; see `fault_arm`.
    ///
    /// - Parameters:
    ///   - action: An errno, ``short`` or one of ``kills``.
    ///   - at: The first call that fails, from 1; 0 means random calls with a probability of `permille` / 1000.
    ///   - times: Number of consecutive failures; -1 means all.
    static func arm(
        _ folder: String, calls: String = "*", action: Int32, at: Int, times: Int, permille: Int = 0, seed: Int = 0
    ) {
        unsafeBitCast(symbol("fault_arm"), to: Arm.self)(
            folder, calls, action, at, times, UInt32(permille), UInt64(truncatingIfNeeded: seed))
    }

    /// Stops the faults and returns the number of failed calls.
    static func disarm() -> Int { unsafeBitCast(symbol("fault_disarm"), to: Count.self)() }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer {
        guard let found = dlsym(nil, name) else {
            printLine("the fault shim is not loaded: set LD_PRELOAD")
            exit(64)
        }
        return found
    }
}
