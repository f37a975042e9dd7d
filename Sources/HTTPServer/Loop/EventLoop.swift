import CPlatformImageUV

/// The owner of a loop: all functions are called on the loop's thread.
protocol EventLoopOwner: AnyObject {
    /// A watched descriptor has events.
    func ready(_ number: UInt64, _ events: LoopEvents)
    /// Handles messages of other threads.
    func handleMessages()
    /// True if there are messages that were not handled.
    var hasMessages: Bool { get }
    /// The time of ``EventLoop/startTimer(milliseconds:)`` has passed.
    func timerFired()
}

/// Events of a descriptor.
struct LoopEvents: OptionSet, Sendable {
    let rawValue: Int32

    static let readable = Self(rawValue: Int32(PIUV_READABLE))
    static let writable = Self(rawValue: Int32(PIUV_WRITABLE))
    /// The peer closed its sending side.
    static let disconnected = Self(rawValue: Int32(PIUV_DISCONNECTED))
    /// The descriptor is unusable.
    static let failed = Self(rawValue: Int32(PIUV_FAILED))
}

/// An error of the operating system.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { unsafe String(cString: piuv_error_text(code)) }
}

/// One event loop of libuv. Used by one thread only.
@safe final class EventLoop {
    private let loop: OpaquePointer
    private let callbacks: LoopCallbacks

    /// Creates a loop, whose owner is set with ``setOwner(_:)``.
    ///
    /// - Parameter waker: Wakes this loop from now on.
    init(_ waker: LoopWaker) throws(SystemError) {
        callbacks = LoopCallbacks(waker)
        var functions = piuv_callbacks()
        unsafe functions.ready = { context, number, events in
            guard let callbacks = unsafe LoopCallbacks.of(context) else { return }
            // libuv calls this before `after_wait`. Messages of this thread then need no wake-up.
            callbacks.waker.endWait()
            callbacks.owner?.ready(number, LoopEvents(rawValue: events))
        }
        unsafe functions.before_wait = { context in unsafe LoopCallbacks.of(context)?.prepareWait() ?? false }
        unsafe functions.after_wait = { context in unsafe LoopCallbacks.of(context)?.waker.endWait() }
        unsafe functions.timer = { context in unsafe LoopCallbacks.of(context)?.owner?.timerFired() }
        var opened: OpaquePointer?
        let status = unsafe piuv_loop_open(&opened, &functions, Unmanaged.passUnretained(callbacks).toOpaque())
        guard let opened = unsafe opened, status == 0 else { throw SystemError(code: status) }
        unsafe loop = opened
        callbacks.waker.open(UInt(bitPattern: opened))
    }

    deinit {
        callbacks.waker.close()
        callbacks.executor.close()
        unsafe piuv_loop_close(loop)
    }

    var executor: LoopExecutor { callbacks.executor }

    /// Sets the object whose functions are called. The loop retains it until the owner is set to nil.
    func setOwner(_ owner: (any EventLoopOwner)?) { callbacks.owner = owner }

    /// Milliseconds of a clock that only advances; constant during one iteration.
    var now: UInt64 { unsafe piuv_loop_now(loop) }

    /// Runs until ``stop()``.
    func run() { unsafe piuv_loop_run(loop) }

    /// Handles what is there, without waiting.
    func turn() { unsafe piuv_loop_turn(loop) }

    func stop() { unsafe piuv_loop_stop(loop) }

    /// Calls ``EventLoopOwner/timerFired()`` once; replaces an earlier time.
    func startTimer(milliseconds: UInt64) { unsafe piuv_timer_start(loop, milliseconds) }

    /// Watches a descriptor until the watch is released, which must be before the loop and the socket are.
    func watch(_ socket: Socket, number: UInt64, _ events: LoopEvents) throws(SystemError) -> Watch {
        var watch: OpaquePointer?
        let status = unsafe piuv_watch_open(loop, socket.descriptor, number, events.rawValue, &watch)
        guard let watch = unsafe watch, status == 0 else { throw SystemError(code: status) }
        return unsafe Watch(watch, events)
    }
}

/// The context of the callbacks of a loop.
private final class LoopCallbacks {
    let waker: LoopWaker
    let executor: LoopExecutor
    var owner: (any EventLoopOwner)?

    init(_ waker: LoopWaker) {
        self.waker = waker
        executor = LoopExecutor(waker)
    }

    /// The object of a callback. The loop lives as long as its context.
    static func of(_ context: UnsafeMutableRawPointer?) -> LoopCallbacks? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<LoopCallbacks>.fromOpaque(context).takeUnretainedValue()
    }

    /// Runs jobs and messages before the loop waits.
    ///
    /// - Returns: True if the loop must not wait, because there are more.
    func prepareWait() -> Bool {
        guard let owner else { return false }
        // Jobs and messages cause each other; a bounded number of rounds leaves time for sockets.
        for _ in 0..<8 {
            executor.runJobs()
            owner.handleMessages()
            if executor.isEmpty, !owner.hasMessages { break }
        }
        waker.beginWait()
        return owner.hasMessages || !executor.isEmpty
    }
}

/// The watch of a descriptor, which must outlive it.
@safe struct Watch: ~Copyable {
    private let watch: OpaquePointer
    private var events: LoopEvents

    fileprivate init(_ watch: OpaquePointer, _ events: LoopEvents) {
        unsafe (self.watch, self.events) = unsafe (watch, events)
    }

    deinit { unsafe piuv_watch_close(watch) }

    /// Changes the events; without any, not even a failure is reported.
    mutating func change(to events: LoopEvents) {
        guard events != self.events else { return }
        self.events = events
        _ = unsafe piuv_watch_change(watch, events.rawValue)
    }
}
