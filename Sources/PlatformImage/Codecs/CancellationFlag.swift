/// A flag that any thread may raise to end a decode on another one.
///
/// A decode looks at it every 16 rows at most, once a scan, strip, tile and frame.
public final class CancellationFlag: Sendable {
    let handle = CancelHandle()

    /// A flag that is not raised and has no deadline.
    public init() {}

    /// Ends the decodes that use this flag with ``DecodeError/Code/cancelled``.
    public func cancel() { handle.raise() }

    /// True once ``cancel()`` was called; a deadline that passed does not count.
    public var isCancelled: Bool { handle.isRaised }

    /// Ends the decodes that use this flag with ``DecodeError/Code/limitExceeded`` once `instant` has passed.
    ///
    /// One more than 100 years ahead acts as one in 100 years; a later call replaces the deadline of an earlier one.
    public func setDeadline(_ instant: ContinuousClock.Instant) {
        let left = min(instant - ContinuousClock.now, .seconds(100 * 365 * 86_400))
        handle.setDeadline(in: UInt64(max(1, left.nanosecondCount)))
    }

    /// Cancels at the poll after `polls` more; for tests of every cancel point.
    package func cancelAfter(polls: Int) { handle.raise(afterPolls: UInt64(polls)) }

    package var pollCount: Int { handle.pollCount }

    /// For decoders written in Swift, and for work on a bitmap: that has no format.
    package func poll(format: ImageFormat? = nil) throws(DecodeError) {
        switch handle.poll() {
        case .running: return
        case .cancelled: throw DecodeError(.cancelled, format: format, "cancelled")
        case .deadlinePassed:
            throw DecodeError(.limitExceeded, format: format, detail: "deadline", "the deadline passed")
        }
    }
}
