// Threads of our own: decoding blocks, and Swift's shared pool must not.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

enum DecodeThread {
    /// The codecs keep large tables on the heap; the deepest stack seen is below 64 KiB.
    private static let stackBytes = 1 << 20

    /// What a thread is told when it starts.
    private final class Orders: Sendable {
        let jobs: DecodeJobs
        let niceness: Int

        init(_ jobs: DecodeJobs, niceness: Int) {
            self.jobs = jobs
            self.niceness = niceness
        }
    }

    /// Starts a thread that works off jobs until they are closed.
    static func start(working jobs: DecodeJobs, niceness: Int) {
        let context = unsafe Unmanaged.passRetained(Orders(jobs, niceness: niceness)).toOpaque()
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
                let orders = unsafe Unmanaged<Orders>.fromOpaque(context).takeRetainedValue()
                DecodeThread.giveWay(by: orders.niceness)
                while orders.jobs.runNext() {}
                return nil
            }, context)
        precondition(failure == 0, "no thread for decoding: error \(failure)")
    }

    /// On Linux a niceness is a thread's own; where it is the whole process's, it stays as it is.
    private static func giveWay(by niceness: Int) {
        guard niceness > 0 else { return }
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(clamping: niceness))
        #elseif canImport(Musl)
        _ = setpriority(PRIO_PROCESS, 0, Int32(clamping: niceness))
        #endif
    }
}
