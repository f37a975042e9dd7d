// ThreadSanitizer does not see inside the standard library's mutex (it is not instrumented on Linux) and reports every
// use as a race. Built with -DTHREAD_SANITIZER, as `make tsan` does, each critical section tells it.

import Synchronization

#if THREAD_SANITIZER
@_silgen_name("__tsan_acquire") private func threadSanitizerAcquire(_ address: UnsafeMutableRawPointer)
@_silgen_name("__tsan_release") private func threadSanitizerRelease(_ address: UnsafeMutableRawPointer)
#endif

extension Mutex where Value: ~Copyable {
    /// `withLock`, in a way that ThreadSanitizer understands.
    ///
    /// - Parameter owner: The object that the mutex is a part of.
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
