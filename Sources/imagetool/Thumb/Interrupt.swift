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

/// Ends the process at SIGINT as a shell expects it, but not while a file is written.
final class Interrupt {
    private final class State: Sendable {
        let isShielded = Mutex((shield: false, signal: false))
    }

    private let state = State()
    private let source: any DispatchSourceSignal

    /// From now on, as long as this lives.
    init() {
        #if canImport(Darwin)
        // There the default action would come before the source's.
        signal(SIGINT, SIG_IGN)
        #endif
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [state] in
            // From here on nothing begins that would have to be waited for.
            let waits = state.isShielded.locked(in: state) { now in
                // The second one does not wait: what is written may be a pipe that nobody reads.
                defer { now.signal = true }
                return now.shield && !now.signal
            }
            if !waits { Self.end() }
        }
        // Before the kernel knows of it a signal would be lost where it is ignored, as in the background of a shell.
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.resume()
        isReady.wait()
    }

    deinit { source.cancel() }

    /// Runs `body` to its end before a SIGINT counts; after one it does not begin.
    func shielded<R>(_ body: () throws -> R) rethrows -> R {
        let begins = state.isShielded.locked(in: state) { now in
            now.shield = !now.signal
            return now.shield
        }
        if !begins { Self.end() }
        defer {
            let isOver = state.isShielded.locked(in: state) { now in
                now.shield = false
                return now.signal
            }
            if isOver { Self.end() }
        }
        return try body()
    }

    /// 128 and the signal's number. Other threads may be at work: nothing is torn down under them.
    private static func end() -> Never {
        if Terminal.isError { Array("\r\u{1B}[2K".utf8).withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) } }
        _exit(128 + SIGINT)
    }
}
