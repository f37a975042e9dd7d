/// A thread-safe flag that stops a decode or an encode on another thread.
///
/// Decoders poll it at least every 16 rows, and once per scan, strip, tile and frame.
public final class CancellationFlag: Sendable {
    let handle = CancelHandle()

    /// Creates a flag that is not raised and has no deadline.
    public init() {}

    /// Stops the decodes and encodes that use this flag; they throw `cancelled`.
    public func cancel() { handle.raise() }

    /// True after ``cancel()`` was called; an expired deadline does not change it.
    public var isCancelled: Bool { handle.isRaised }

    /// After `instant`, stops the decodes and encodes that use this flag: decodes throw
    /// ``DecodeError/Code/limitExceeded``, encodes ``EncodeError/Code/deadlinePassed``.
    ///
    /// A deadline more than 100 years ahead is limited to 100 years; a later call replaces an earlier deadline.
    public func setDeadline(_ instant: ContinuousClock.Instant) {
        let left = min(instant - ContinuousClock.now, .seconds(100 * 365 * 86_400))
        handle.setDeadline(in: UInt64(max(1, left.nanosecondCount)))
    }

    /// Nanoseconds until the deadline, at least 1; nil without a deadline.
    var remainingTime: Int? { handle.remainingTime }

    /// Raises the flag at the first poll after `polls` polls since its creation; for tests of every cancellation point.
    package func cancelAfter(polls: Int) { handle.raise(afterPolls: UInt64(polls)) }

    package var pollCount: Int { handle.pollCount }

    /// Throws when the flag is raised or the deadline has passed. For decoders in Swift; `format` is nil for work on a
    /// bitmap.
    package func poll(format: ImageFormat? = nil) throws(DecodeError) {
        switch handle.poll() {
        case .running: return
        case .cancelled: throw DecodeError(.cancelled, format: format, "cancelled")
        case .deadlinePassed:
            throw DecodeError(
                .limitExceeded, format: format, detail: "deadline", "decoding did not end before its deadline")
        }
    }
}
