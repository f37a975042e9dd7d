internal import CImageCodecs

/// A flag that any thread may raise to end a decode on another one.
///
/// A decode looks at it every 16 rows at most, once a scan, strip, tile and frame.
@safe public final class CancellationFlag: Sendable {
    /// Valid until deinit; the C functions behind it are atomic.
    nonisolated(unsafe) let handle: OpaquePointer

    /// A flag that is not raised and has no deadline.
    public init() {
        guard let handle = unsafe imgc_cancel_create() else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
    }

    deinit { unsafe imgc_cancel_destroy(handle) }

    /// Ends the decodes that use this flag with ``DecodeError/Code/cancelled``.
    public func cancel() { unsafe imgc_cancel_raise(handle) }

    /// True once ``cancel()`` was called; a deadline that passed does not count.
    public var isCancelled: Bool { unsafe imgc_cancel_is_raised(handle) }

    /// Ends the decodes that use this flag with ``DecodeError/Code/limitExceeded`` once `instant` has passed.
    ///
    /// One more than 100 years ahead acts as one in 100 years; a later call replaces the deadline of an earlier one.
    public func setDeadline(_ instant: ContinuousClock.Instant) {
        let left = min(instant - ContinuousClock.now, .seconds(100 * 365 * 86_400))
        let (seconds, attoseconds) = max(left, .zero).components
        let nanoseconds = max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        unsafe imgc_cancel_set_deadline(handle, imgc_monotonic_now() + UInt64(nanoseconds))
    }

    /// Cancels at the poll after `polls` more; for tests of every cancel point.
    package func cancelAfter(polls: Int) { unsafe imgc_cancel_after(handle, UInt64(polls)) }

    package var pollCount: Int { unsafe Int(imgc_cancel_polls(handle)) }

    /// For decoders written in Swift, and for work on a bitmap: that has no format.
    package func poll(format: ImageFormat? = nil) throws(DecodeError) {
        switch unsafe imgc_cancel_poll(handle) {
        case IMGC_OK: return
        case IMGC_ERROR_CANCELLED: throw DecodeError(.cancelled, format: format, "cancelled")
        default: throw DecodeError(.limitExceeded, format: format, detail: "deadline", "the deadline passed")
        }
    }
}
