#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What ends the thread: a pipe with something to read in it.
///
/// Both ends live as long as either side needs them, so writing never meets a closed pipe, and a child process that
/// inherited the ends changes nothing.
final class MemoryPressureStop: Sendable {
    private let readEnd: KernelFile
    private let writeEnd: KernelFile

    init() throws(MemoryPressureError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw MemoryPressureError(.noResources, "no pipe: \(KernelFile.Failure.last)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = KernelFile(owning: ends[0])
        writeEnd = KernelFile(owning: ends[1])
    }

    /// Called once at most.
    func raise() { _ = writeEnd.write([1]) }

    /// What to wait for, for `poll`.
    var request: pollfd { pollfd(fd: readEnd.descriptor, events: Int16(POLLIN), revents: 0) }
}

/// What the watcher's thread does. It belongs to that thread alone.
final class MemoryPressureThread {
    private var trigger: MemoryPressureTrigger?
    private var stop: MemoryPressureStop?
    private var onPressure: (@Sendable (MemoryPressureEvent) -> Void)?
    private let quietMilliseconds: Int32

    /// - Parameter quiet: The time after an event of a cgroup in which no other is told.
    static func start(
        _ trigger: consuming MemoryPressureTrigger, stop: MemoryPressureStop, quiet: Duration,
        onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) throws(MemoryPressureError) {
        let thread = MemoryPressureThread(trigger, stop, quiet, onPressure)
        if let failure = DetachedThread.start({ thread.run() }) {
            throw MemoryPressureError(.noResources, "no thread: \(KernelFile.Failure(number: failure))")
        }
    }

    private init(
        _ trigger: consuming MemoryPressureTrigger, _ stop: MemoryPressureStop, _ quiet: Duration,
        _ onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) {
        self.trigger = consume trigger
        self.stop = stop
        self.onPressure = onPressure
        quietMilliseconds = Int32(clamping: quiet.millisecondCount)
    }

    private func run() {
        while let event = next() {
            onPressure?(event)
            // The kernel itself tells stalls once in a window at most; counters of a cgroup can rise all the time.
            if event.source == .cgroupEvents, isStopped(within: quietMilliseconds) { break }
        }
        // In this order: whoever sees the closure released knows that the descriptors are closed.
        trigger = nil
        stop = nil
        onPressure = nil
    }

    /// Waits for an event; nil when the watcher was stopped or the source is gone.
    private func next() -> MemoryPressureEvent? {
        while let stop, let request = trigger?.request {
            var requests = [stop.request, request]
            if unsafe poll(&requests, nfds_t(requests.count), -1) < 0 {
                if errno == EINTR { continue }
                return nil
            }
            let isLost = requests[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
            if requests[0].revents != 0 || isLost { return nil }
            if let event = trigger?.event() { return event }
        }
        return nil
    }

    /// A signal may cut the time short.
    private func isStopped(within milliseconds: Int32) -> Bool {
        guard var request = stop?.request else { return true }
        return unsafe poll(&request, 1, milliseconds) > 0
    }
}

#endif
