import Dispatch
import PlatformImage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signals that ask a process to end: SIGTERM and SIGINT.
///
/// While an object of this type exists, these signals do not end the process.
final class ShutdownSignals {
    private static let numbers = [SIGTERM, SIGINT]
    /// Number of objects; several services of a process receive the same signals.
    private static let users = Mutex(0)

    /// Gets an element for each signal.
    let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        Self.users.withLock { users in
            // A source sees a signal even if it is ignored, and the default action would end the process.
            if users == 0 { for number in Self.numbers { signal(number, SIG_IGN) } }
            users += 1
        }
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        sources = Self.numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        Self.users.withLock { users in
            users -= 1
            if users == 0 { for number in Self.numbers { signal(number, SIG_DFL) } }
        }
    }
}
