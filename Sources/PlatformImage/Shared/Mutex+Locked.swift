// ThreadSanitizer does not see inside the standard library's mutex (it is not instrumented on Linux): a thread that had
// to wait gets the lock where the sanitizer is blind, and its next access is reported as a race. Built with
// -DTHREAD_SANITIZER, as `make tsan` does, each critical section tells it; any other build pays nothing.

public import Synchronization

#if THREAD_SANITIZER
@_silgen_name("__tsan_acquire")
@usableFromInline
func threadSanitizerAcquire(_ address: UnsafeMutableRawPointer)

@_silgen_name("__tsan_release")
@usableFromInline
func threadSanitizerRelease(_ address: UnsafeMutableRawPointer)
#endif

extension Mutex where Value: ~Copyable {
    /// `withLock`, in a way that ThreadSanitizer understands.
    ///
    /// Inlined into clients as this module was compiled: the condition is the library's, not theirs.
    ///
    /// - Parameter owner: The object that the mutex is a part of.
    @inlinable
    package borrowing func locked<Result: ~Copyable, E: Error>(
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
