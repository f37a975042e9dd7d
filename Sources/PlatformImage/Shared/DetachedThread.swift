#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Detached pthreads for blocking work, which must not run in Swift's shared pool.
package enum DetachedThread {
    /// 1 MiB. The deepest stack measured is below 64 KiB, because the codecs store large tables on the heap. But
    /// closures of callers run on these threads too and may need more than 128 KiB, the default of musl.
    package static let defaultStackBytes = 1 << 20

    /// Starts a detached thread that calls `body` once; it cannot be joined.
    ///
    /// - Parameters:
    ///   - stackBytes: The size of the stack.
    ///   - niceness: Scheduling priority of the thread, 0 (normal) to 19 (lowest) as in `nice`. Linux only: on other
    ///     systems the niceness applies to the complete process, and it is not changed.
    ///   - body: Released after it has returned, or when no thread could be started.
    /// - Returns: The system's error number when no thread could be started; nil on success.
    package static func start(
        stackBytes: Int = defaultStackBytes, niceness: Int = 0, _ body: sending @escaping () -> Void
    ) -> Int32? {
        let context = unsafe Unmanaged.passRetained(ThreadStart(niceness: niceness, body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { unsafe pthread_attr_destroy(&attributes) }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                // The argument is optional, except on Darwin.
                let argument: UnsafeMutableRawPointer? = unsafe argument
                guard let context = unsafe argument else { return nil }
                let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                DetachedThread.setNiceness(start.niceness)
                start.body()
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            unsafe context.release()
            return failure
        }
        return nil
    }

    /// The start argument of a thread.
    private final class ThreadStart {
        let niceness: Int
        let body: () -> Void

        init(niceness: Int, _ body: @escaping () -> Void) {
            self.niceness = niceness
            self.body = body
        }
    }

    /// Sets the niceness of the calling thread. No effect for 0, and on systems other than Linux, where a niceness
    /// applies to the complete process.
    private static func setNiceness(_ niceness: Int) {
        guard niceness > 0 else { return }
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(clamping: niceness))
        #elseif canImport(Musl)
        _ = setpriority(PRIO_PROCESS, 0, Int32(clamping: niceness))
        #endif
    }
}
