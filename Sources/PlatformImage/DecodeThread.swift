// Threads of our own: decoding blocks, and Swift's shared pool must not.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

enum DecodeThread {
    static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The codecs keep large tables on the heap; the deepest stack seen is below 64 KiB.
    private static let stackBytes = 1 << 20

    /// Starts a thread that works off jobs until they are closed.
    static func start(working jobs: DecodeJobs) {
        let context = unsafe Unmanaged.passRetained(jobs).toOpaque()
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
                let jobs = unsafe Unmanaged<DecodeJobs>.fromOpaque(context).takeRetainedValue()
                while jobs.runNext() {}
                return nil
            }, context)
        precondition(failure == 0, "no thread for decoding: error \(failure)")
    }
}
