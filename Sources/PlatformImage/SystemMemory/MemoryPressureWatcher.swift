import Synchronization

/// Calls a closure when memory is scarce, until the watcher is stopped or released.
///
/// ```swift
/// let watcher = try MemoryPressureWatcher { _ in cache.relieveMemoryPressure(to: 0.5) }
/// ```
///
/// A dedicated thread waits in the kernel for events and calls the closure, one call at a time, at most once per
/// `window`. A closure that captures the watcher retains it: the watcher then runs until ``stop()`` is called.
///
/// The watched cgroup is the cgroup of the process at the creation of the watcher; a later move of the process has no
/// effect.
public final class MemoryPressureWatcher: Sendable {
    /// The source in use.
    public let source: MemoryPressureSource

    #if os(Linux)
    private let stopping: Mutex<MemoryPressureStop?>
    #endif

    /// Starts watching the first of `sources` that is available to this process.
    ///
    /// - Parameters:
    ///   - sources: The sources to try, in this order.
    ///   - stall: Only for ``MemoryPressureSource/systemStalls``: an event occurs when tasks on the machine waited for
    ///     memory for this total time within one `window`; at least 1 us and at most `window`.
    ///   - window: 0.5...10 s. For ``MemoryPressureSource/systemStalls``, a process without privileges needs a multiple
    ///     of 2 s.
    ///   - onPressure: Called with every event.
    /// - Throws: ``MemoryPressureError/Code/noSource`` when no source can be used, as on systems other than Linux;
    ///   ``MemoryPressureError/Code/noResources`` when no thread or descriptor is available.
    public convenience init(
        sources: [MemoryPressureSource] = MemoryPressureSource.allCases,
        stall: Duration = .milliseconds(150), window: Duration = .seconds(2),
        onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) throws(MemoryPressureError) {
        precondition(window >= .milliseconds(500) && window <= .seconds(10), "window must be in 0.5...10 s")
        precondition(stall >= .microseconds(1) && stall <= window, "stall must be at least 1 us and at most window")
        try self.init(
            sources: sources, stall: stall, window: window, stallFile: "/proc/pressure/memory", root: "",
            onPressure: onPressure)
    }

    deinit { stop() }

    /// Stops the watcher; repeated calls have no effect.
    ///
    /// Returns without waiting, so it may be called from the closure. One last call of the closure may still run on the
    /// thread after this method returns; then the thread releases the closure.
    public func stop() {
        #if os(Linux)
        let signal = stopping.locked(in: self) { stopping in
            defer { stopping = nil }
            return stopping
        }
        signal?.raise()
        #endif
    }

    #if os(Linux)
    /// - Parameters:
    ///   - stallFile: The kernel's PSI file.
    ///   - root: Path prefix of `/proc` and of the cgroup mounts, without a trailing slash; empty for the running
    ///     system.
    init(
        sources: [MemoryPressureSource], stall: Duration, window: Duration, stallFile: String, root: String,
        onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) throws(MemoryPressureError) {
        var attempts: [MemoryPressureError.Attempt] = []
        for source in sources {
            let opened =
                switch source {
                case .systemStalls: MemoryPressureTrigger.stalls(file: stallFile, stall: stall, window: window)
                case .cgroupEvents: MemoryPressureTrigger.cgroup(root: root)
                }
            switch consume opened {
            case .failure(let failure):
                attempts.append(MemoryPressureError.Attempt(source: source, message: failure.message))
            case .success(let trigger):
                let stop = try MemoryPressureStop()
                self.source = source
                stopping = Mutex(stop)
                try MemoryPressureThread.start(trigger, stop: stop, minInterval: window, onPressure: onPressure)
                return
            }
        }
        let message = attempts.map { "\($0.source): \($0.message)" }.joined(separator: "; ")
        throw MemoryPressureError(
            .noSource, attempts: attempts, message.isEmpty ? "the argument `sources` is empty" : message)
    }
    #else
    private init(
        sources: [MemoryPressureSource], stall: Duration, window: Duration, stallFile: String, root: String,
        onPressure: @escaping @Sendable (MemoryPressureEvent) -> Void
    ) throws(MemoryPressureError) {
        let attempts = sources.map { MemoryPressureError.Attempt(source: $0, message: "available on Linux only") }
        throw MemoryPressureError(.noSource, attempts: attempts, "memory pressure is reported on Linux only")
    }
    #endif
}
