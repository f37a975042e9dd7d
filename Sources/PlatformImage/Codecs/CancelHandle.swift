internal import CImageCodecs

/// The cancellation flag that the codecs poll. Its C functions are atomic.
@safe struct CancelHandle: ~Copyable, Sendable {
    enum FlagState { case running, cancelled, deadlinePassed }

    /// Valid until deinit.
    nonisolated(unsafe) fileprivate let pointer: OpaquePointer

    init() {
        guard let pointer = unsafe imgc_cancel_create() else { preconditionFailure("out of memory") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe imgc_cancel_destroy(pointer) }

    borrowing func raise() { unsafe imgc_cancel_raise(pointer) }

    var isRaised: Bool { unsafe imgc_cancel_is_raised(pointer) }

    /// - Parameter nanoseconds: Time from now to the deadline.
    borrowing func setDeadline(in nanoseconds: UInt64) {
        unsafe imgc_cancel_set_deadline(pointer, imgc_monotonic_now() + nanoseconds)
    }

    /// Nanoseconds until the deadline, at least 1; nil without a deadline.
    var remainingTime: Int? {
        let deadline = unsafe imgc_cancel_deadline(pointer)
        guard deadline > 0 else { return nil }
        let now = imgc_monotonic_now()
        return deadline > now ? Int(clamping: deadline - now) : 1
    }

    borrowing func raise(afterPolls polls: UInt64) { unsafe imgc_cancel_after(pointer, polls) }

    var pollCount: Int { unsafe Int(imgc_cancel_polls(pointer)) }

    borrowing func poll() -> FlagState {
        switch unsafe imgc_cancel_poll(pointer) {
        case IMGC_OK: .running
        case IMGC_ERROR_CANCELLED: .cancelled
        default: .deadlinePassed
        }
    }
}

extension CancellationFlag {
    /// The pointer for requests in C; valid while the flag exists.
    var pointer: OpaquePointer { unsafe handle.pointer }
}
