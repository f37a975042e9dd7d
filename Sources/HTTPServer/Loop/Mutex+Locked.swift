// ThreadSanitizer does not detect the lock operations of the standard library's mutex, which is not instrumented on
// Linux: after a contended lock it reports the next access as a race. With -DTHREAD_SANITIZER, as in `make tsan`, each
// critical section is annotated for the sanitizer; other builds have no overhead. The core library has the same
// extension, which this target, independent of images, cannot use.

import Synchronization

#if THREAD_SANITIZER
@_silgen_name("__tsan_acquire")
private func threadSanitizerAcquire(_ address: UnsafeMutableRawPointer)

@_silgen_name("__tsan_release")
private func threadSanitizerRelease(_ address: UnsafeMutableRawPointer)
#endif

extension Mutex where Value: ~Copyable {
    /// Calls `body` with the lock held, as `withLock` does, with annotations for ThreadSanitizer.
    ///
    /// - Parameter owner: The object that contains the mutex.
    borrowing func locked<Result: ~Copyable, E: Error>(
        in owner: AnyObject, _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if THREAD_SANITIZER
        try withLock { (value: inout sending Value) throws(E) -> sending Result in
            let address = unsafe Unmanaged.passUnretained(owner).toOpaque()
            unsafe threadSanitizerAcquire(address)
            defer { unsafe threadSanitizerRelease(address) }
            return try body(&value)
        }
        #else
        try withLock(body)
        #endif
    }
}
