import Synchronization

/// Files that crashed a worker: they are refused for some time, so that one file cannot end one worker after another.
///
/// Files are compared by a hash with a secret seed (SipHash). Inputs are hashed only while the list is not empty.
final class RefusedFiles: Sendable {
    private struct ListState {
        var ends: [Int: ContinuousClock.Instant] = [:]
        /// The first end of ``ends``, or an earlier instant.
        var firstEnd: ContinuousClock.Instant?
        var refusedCount = 0

        mutating func removeExpired(_ now: ContinuousClock.Instant) {
            guard let firstEnd, firstEnd <= now else { return }
            ends = ends.filter { $0.value > now }
            self.firstEnd = ends.values.min()
        }
    }

    static let maxCount = 1024
    private let time: Duration
    private let state = Mutex(ListState())
    /// The number of listed files, read without the lock.
    private let count = Atomic<Int>(0)

    /// True when inputs are hashed: the list has files, or had files at the last call.
    var isActive: Bool { count.load(ordering: .relaxed) > 0 }

    init(time: Duration) { self.time = time }

    var refusedCount: Int { state.locked(in: self) { $0.refusedCount } }

    /// Lists a file; when the list is full, replaces the file whose time ends first.
    func insert(_ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now) {
        guard time > .zero else { return }
        let hash = Self.hash(bytes)
        state.locked(in: self) { state in
            state.removeExpired(now)
            state.ends[hash] = now + time
            state.firstEnd = min(state.firstEnd ?? now + time, now + time)
            if state.ends.count > Self.maxCount, let first = state.ends.min(by: { $0.value < $1.value }) {
                state.ends[first.key] = nil
            }
            count.store(state.ends.count, ordering: .relaxed)
        }
    }

    /// True when the file crashed a worker less than the configured time ago.
    func contains(_ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now) -> Bool {
        guard isActive else { return false }
        let hash = Self.hash(bytes)
        return state.locked(in: self) { state in
            state.removeExpired(now)
            count.store(state.ends.count, ordering: .relaxed)
            guard state.ends[hash] != nil else { return false }
            state.refusedCount += 1
            return true
        }
    }

    private static func hash(_ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
