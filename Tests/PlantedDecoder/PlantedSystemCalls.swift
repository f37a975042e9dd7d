#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// System calls that Swift does not import: fork, ptrace and futex.

extension PlantedAction {
    @_silgen_name("syscall")
    private static func rawSystemCall(_ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int

    #if arch(x86_64)
    static let ptraceNumber = 101
    private static let cloneNumber = 56
    private static let futexNumber = 202
    #else
    static let ptraceNumber = 117
    private static let cloneNumber = 220
    private static let futexNumber = 98
    #endif

    /// True when the call succeeds.
    static func systemCall(_ number: Int, _ argument: Int) -> Bool {
        rawSystemCall(number, argument, 0, 0, 0) >= 0
    }

    /// Creates a process as fork(2) does; true when it can and the process ends.
    static func forkAndWait() -> Bool {
        let child = rawSystemCall(cloneNumber, Int(SIGCHLD), 0, 0, 0)
        if child == 0 { _exit(0) }
        var status: Int32 = 0
        return child > 0 && waitpid(pid_t(child), &status, 0) == child
    }

    /// FUTEX_WAIT on a value that never changes.
    static func wait(_ value: UnsafeMutablePointer<UInt32>) -> Int {
        rawSystemCall(futexNumber, Int(bitPattern: value), 0, 0, 0)
    }
}
