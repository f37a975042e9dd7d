#if Service
import PlatformImageLoader
import Synchronization

/// Time that the decode of one render has taken on its thread so far: without the wait before it, and without filters and
/// encoder, whose cost is the target's and not the source's.
final class DecodeClock: Sendable {
    private let clock: @Sendable () -> WallTime
    private let state = Mutex<WallTime?>(nil)

    init(_ clock: @escaping @Sendable () -> WallTime) { self.clock = clock }

    func begin() {
        let now = clock()
        state.withLock { $0 = now }
    }

    func end() { state.withLock { $0 = nil } }

    /// Nil unless a decode has begun and not ended.
    var elapsed: Duration? {
        guard let begin = state.withLock({ $0 }) else { return nil }
        return .milliseconds(clock() - begin)
    }
}
#endif
