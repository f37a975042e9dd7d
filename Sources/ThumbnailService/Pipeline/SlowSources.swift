import PlatformImage
import PlatformImageLoader
import Synchronization

/// Sources whose decode was cancelled after at least half of the deadline, identified by their bytes. These bytes are
/// refused under every URL and for every target until ``BackOff`` allows a probe.
///
/// At most 4,096 sources are tracked, in memory only. A lookup computes a digest only for a source that has the length
/// of a tracked source.
final class SlowSources: Sendable {
    private struct Key: Hashable {
        let digest: [UInt8]
    }

    private struct State {
        var byteCounts = RecentTable<Int, Bool>(capacity: 4_096)
        var backOffs = RecentTable<Key, BackOff>(capacity: 4_096)
    }

    private let state = Mutex(State())

    /// Returns the error for a render of these bytes; nil when they may be rendered, as a probe if they were slow
    /// before.
    func failure(of bytes: [UInt8], now: WallTime) -> ServiceError? {
        guard isSuspect(bytes) else { return nil }
        let key = Key(digest: SHA256.hash(bytes))
        return state.locked(in: self) { state in
            guard var backOff = state.backOffs[key] else { return nil }
            let left = backOff.remaining(now: now)
            guard left == 0 else {
                return ServiceError(.deadline, "an earlier decode of the source exceeded the deadline").withRetryAfter(
                    milliseconds: left)
            }
            _ = backOff.admitsProbe(now: now)
            state.backOffs[key] = backOff
            return nil
        }
    }

    /// Counts a decode that was cancelled after a long time.
    func record(_ bytes: [UInt8], now: WallTime) {
        let key = Key(digest: SHA256.hash(bytes))
        state.locked(in: self) { state in
            var backOff = state.backOffs[key] ?? BackOff()
            backOff.fail(now: now)
            state.backOffs[key] = backOff
            state.byteCounts[bytes.count] = true
        }
    }

    /// Removes a source that was decoded in time.
    func remove(_ bytes: [UInt8]) {
        guard isSuspect(bytes) else { return }
        let key = Key(digest: SHA256.hash(bytes))
        state.locked(in: self) { state in if state.backOffs[key] != nil { state.backOffs[key] = nil } }
    }

    private func isSuspect(_ bytes: [UInt8]) -> Bool { state.locked(in: self) { $0.byteCounts[bytes.count] != nil } }
}
