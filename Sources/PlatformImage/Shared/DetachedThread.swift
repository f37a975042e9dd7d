#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Threads of our own, for work that blocks: Swift's shared pool must not.
package enum DetachedThread {
    /// 1 MiB. The codecs keep large tables on the heap, and the deepest stack seen is below 64 KiB; but closures of
    /// callers run on these threads too, and musl gives no more than 128 KiB by itself.
    package static let defaultStackBytes = 1 << 20

    /// Starts a thread that calls `body` once; nobody waits for its end.
    ///
    /// - Parameters:
    ///   - stackBytes: The size of its stack.
    ///   - niceness: How much the thread gives way where others want the cores too, 0 to 19 as `nice` counts. Linux
    ///     alone has it: elsewhere it is the whole process's, and stays as it is.
    ///   - body: Is released when it has returned, or when there is no thread.
    /// - Returns: The system's error number when there is no thread to be had; nil when it runs.
    package static func start(
        stackBytes: Int = defaultStackBytes, niceness: Int = 0, _ body: sending @escaping () -> Void
    ) -> Int32? {
        let context = unsafe Unmanaged.passRetained(Start(niceness: niceness, body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { unsafe pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { context in
                guard let context = unsafe context else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                DetachedThread.giveWay(by: start.niceness)
                start.body()
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            unsafe context.release()
            return failure
        }
        return nil
    }

    /// What a thread gets when it starts.
    private final class Start {
        let niceness: Int
        let body: () -> Void

        init(niceness: Int, _ body: @escaping () -> Void) {
            self.niceness = niceness
            self.body = body
        }
    }

    /// On Linux a niceness is a thread's own.
    private static func giveWay(by niceness: Int) {
        guard niceness > 0 else { return }
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(clamping: niceness))
        #elseif canImport(Musl)
        _ = setpriority(PRIO_PROCESS, 0, Int32(clamping: niceness))
        #endif
    }
}
