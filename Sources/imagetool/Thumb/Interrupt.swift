import Dispatch
import PlatformImage
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// SIGINT handler that exits with 128 + SIGINT. If a file is being written, the first SIGINT takes effect after the
/// write; a second SIGINT ends the process immediately.
final class Interrupt {
    private final class State: Sendable {
        let shieldState = Mutex((shield: false, signal: false))
    }

    private let state = State()
    private let source: any DispatchSourceSignal

    /// Installs the handler; it is active until this object is deinitialized.
    init() {
        #if canImport(Darwin)
        // On Darwin the default action would end the process before the dispatch source sees the signal.
        signal(SIGINT, SIG_IGN)
        #endif
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [state] in
            // After the first signal, `deferringInterrupt(_:)` starts no further write.
            let waits = state.shieldState.locked(in: state) { now in
                // A second signal does not wait: the write may block on a pipe without a reader.
                defer { now.signal = true }
                return now.shield && !now.signal
            }
            if !waits { Self.end() }
        }
        // Wait until the source is registered. An earlier signal is lost if the process ignores SIGINT, as background
        // jobs of a shell do.
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.resume()
        isReady.wait()
    }

    deinit { source.cancel() }

    /// Runs `body`. The first SIGINT that arrives while `body` runs ends the process after `body` returns; a second one
    /// ends it immediately. After a SIGINT, a new call ends the process without running `body`.
    func deferringInterrupt<R>(_ body: () throws -> R) rethrows -> R {
        let mayStart = state.shieldState.locked(in: state) { now in
            now.shield = !now.signal
            return now.shield
        }
        if !mayStart { Self.end() }
        defer {
            let wasInterrupted = state.shieldState.locked(in: state) { now in
                now.shield = false
                return now.signal
            }
            if wasInterrupted { Self.end() }
        }
        return try body()
    }

    /// Clears the progress line and exits with 128 + SIGINT. Other threads still run, so `_exit` is used: it runs no
    /// exit handlers.
    private static func end() -> Never {
        if Terminal.isError { Array("\r\u{1B}[2K".utf8).withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) } }
        _exit(128 + SIGINT)
    }
}
