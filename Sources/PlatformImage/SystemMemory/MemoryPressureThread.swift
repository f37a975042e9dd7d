#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The stop signal of the watcher's thread: a pipe that becomes readable.
///
/// The watcher and its thread both retain this object, so the ends stay open until neither needs them: a write
/// never fails with EPIPE. The signal is a byte. Closing the write end instead would have no effect while a child
/// process has inherited that end.
final class MemoryPressureStop: Sendable {
    private let readEnd: ProcFile
    private let writeEnd: ProcFile

    init() throws(MemoryPressureError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw MemoryPressureError(.noResources, "pipe failed: \(ProcFile.Failure.last)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ProcFile(owning: ends[0])
        writeEnd = ProcFile(owning: ends[1])
    }

    /// Raises the signal; call at most once.
    func raise() { _ = writeEnd.write([1]) }

    /// The `pollfd` that becomes readable when the signal is raised.
    var request: pollfd { pollfd(fd: readEnd.descriptor, events: Int16(POLLIN), revents: 0) }
}

/// The state and loop of the watcher's thread; used by that thread only.
final class MemoryPressureThread {
    private var trigger: MemoryPressureTrigger?
    private var stop: MemoryPressureStop?
    private var onPressure: (@Sendable (MemoryPressureEvent) -> Void)?
    private let minIntervalMilliseconds: Int32

    /// - Parameter minInterval: Minimum pause between the reports of two cgroup events.
    static func start(
        _ trigger: consuming MemoryPressureTrigger, stop: MemoryPressureStop, minInterval: Duration,
        onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) throws(MemoryPressureError) {
        let thread = MemoryPressureThread(trigger, stop, minInterval, onPressure)
        if let failure = DetachedThread.start({ thread.run() }) {
            throw MemoryPressureError(.noResources, "pthread_create failed: \(ProcFile.Failure(number: failure))")
        }
    }

    private init(
        _ trigger: consuming MemoryPressureTrigger, _ stop: MemoryPressureStop, _ minInterval: Duration,
        _ onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) {
        self.trigger = consume trigger
        self.stop = stop
        self.onPressure = onPressure
        minIntervalMilliseconds = Int32(clamping: minInterval.millisecondCount)
    }

    private func run() {
        while let event = next() {
            onPressure?(event)
            // The kernel reports stalls at most once per window; cgroup counters can rise continuously.
            if event.source == .cgroupEvents, isStopped(within: minIntervalMilliseconds) { break }
        }
        // The order matters: when the closure is released, the descriptors must already be closed.
        trigger = nil
        stop = nil
        onPressure = nil
    }

    /// Waits for an event; nil when the watcher was stopped or the source failed.
    private func next() -> MemoryPressureEvent? {
        while let stop, let request = trigger?.request {
            var requests = [stop.request, request]
            if unsafe poll(&requests, nfds_t(requests.count), -1) < 0 {
                if errno == EINTR { continue }
                return nil
            }
            let watchFailed = requests[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
            if requests[0].revents != 0 || watchFailed { return nil }
            if let event = trigger?.event() { return event }
        }
        return nil
    }

    /// Waits for the stop signal; a Unix signal may end the wait early.
    private func isStopped(within milliseconds: Int32) -> Bool {
        guard var request = stop?.request else { return true }
        return unsafe poll(&request, 1, milliseconds) > 0
    }
}

#endif
