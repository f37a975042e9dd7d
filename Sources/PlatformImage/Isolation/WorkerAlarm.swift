internal import CPlatformImageSandbox

/// Wakes up the thread of a ``WorkerSupply``, which also waits for the end of idle workers.
final class WorkerAlarm: Sendable {
    /// Longest wait without a descriptor.
    private static let maxMillisecondsWithoutDescriptor = 20

    /// -1 when the system had no descriptor left: every wait then is short.
    private let descriptor = pisb_create_alarm()

    deinit { pisb_close_alarm(descriptor) }

    /// Ends the current wait, or the next one.
    func signal() { pisb_signal_alarm(descriptor) }

    /// Waits for a signal, for a time, or until the peer of one of the sockets has closed it.
    ///
    /// - Parameter milliseconds: `Int.max` for no limit.
    func wait(milliseconds: Int, orEndOf sockets: [Int32]) {
        var time = milliseconds
        if descriptor < 0 { time = min(time, Self.maxMillisecondsWithoutDescriptor) }
        unsafe pisb_wait(descriptor, sockets, sockets.count, time == .max ? -1 : Int32(clamping: time))
    }
}
