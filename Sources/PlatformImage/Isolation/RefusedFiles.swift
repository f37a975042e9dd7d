import Synchronization

/// Files that ended workers: they are refused for some time, so that one file cannot end one worker after another.
///
/// A crash refuses a file at once. The end of a worker by SIGKILL or SIGTERM can have other causes than the file: after
/// the first one the file is only noted, and the second one refuses it, as a file that needs more memory than there is
/// has its worker ended by the OOM killer again and again. An attempt that completes later removes its own notes.
///
/// Files are compared by a hash with a secret seed (SipHash). Inputs are hashed only while a file of their size is
/// listed.
final class RefusedFiles: Sendable {
    private struct Entry {
        let byteCount: Int
        var end: ContinuousClock.Instant
        var isRefused = false
        /// The attempts during which a worker was killed; not used when the file is refused.
        var kills: [WorkerAttempt] = []
    }

    private struct ListState {
        var entries: [Int: Entry] = [:]
        /// The first end of ``entries``, or an earlier instant.
        var firstEnd: ContinuousClock.Instant?
        var refusedCount = 0

        mutating func removeExpired(_ now: ContinuousClock.Instant) {
            guard let firstEnd, firstEnd <= now else { return }
            entries = entries.filter { $0.value.end > now }
            self.firstEnd = entries.values.lazy.map(\.end).min()
        }
    }

    static let maxCount = 1024
    /// Killed workers after which a file is refused.
    static let maxKills = 2
    private let time: Duration
    private let state = Mutex(ListState())
    /// The number of listed files, read without the lock.
    private let count = Atomic<Int>(0)

    /// True when the list has files, or had files at the last call.
    var isActive: Bool { count.load(ordering: .relaxed) > 0 }

    init(time: Duration) { self.time = time }

    var refusedCount: Int { state.locked(in: self) { $0.refusedCount } }

    /// Refuses a file; when the list is full, replaces the file whose time ends first.
    func insert(_ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now) {
        update(bytes, now) { $0.isRefused = true }
    }

    /// Notes that a worker was killed during an attempt, and refuses the file after ``maxKills`` of them.
    func noteKill(_ attempt: WorkerAttempt, _ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now) {
        update(bytes, now) { entry in
            entry.kills.append(attempt)
            if entry.kills.count >= Self.maxKills { entry.isRefused = true }
        }
    }

    private func update(_ bytes: Span<UInt8>, _ now: ContinuousClock.Instant, _ change: (inout Entry) -> Void) {
        guard time > .zero else { return }
        let hash = Self.hash(bytes)
        let end = now + time
        state.locked(in: self) { state in
            state.removeExpired(now)
            var entry = state.entries[hash] ?? Entry(byteCount: bytes.count, end: end)
            entry.end = end
            change(&entry)
            state.entries[hash] = entry
            state.firstEnd = min(state.firstEnd ?? end, end)
            if state.entries.count > Self.maxCount, let first = state.entries.min(by: { $0.value.end < $1.value.end }) {
                state.entries[first.key] = nil
            }
            count.store(state.entries.count, ordering: .relaxed)
        }
    }

    /// Removes the notes of an attempt that is now complete: the file was not the cause of those kills.
    func noteCompletion(
        of attempt: @autoclosure () -> WorkerAttempt, _ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now
    ) {
        guard isActive, hasFile(ofSize: bytes.count, now) else { return }
        let (hash, attempt) = (Self.hash(bytes), attempt())
        state.locked(in: self) { state in
            guard var entry = state.entries[hash], !entry.isRefused else { return }
            entry.kills.removeAll { $0 == attempt }
            state.entries[hash] = entry.kills.isEmpty ? nil : entry
            count.store(state.entries.count, ordering: .relaxed)
        }
    }

    /// True when the file was refused less than the configured time ago.
    func contains(_ bytes: Span<UInt8>, now: ContinuousClock.Instant = .now) -> Bool {
        guard isActive, hasFile(ofSize: bytes.count, now) else { return false }
        let hash = Self.hash(bytes)
        return state.locked(in: self) { state in
            guard state.entries[hash]?.isRefused == true else { return false }
            state.refusedCount += 1
            return true
        }
    }

    private func hasFile(ofSize byteCount: Int, _ now: ContinuousClock.Instant) -> Bool {
        state.locked(in: self) { state in
            state.removeExpired(now)
            count.store(state.entries.count, ordering: .relaxed)
            return state.entries.values.contains { $0.byteCount == byteCount }
        }
    }

    private static func hash(_ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

/// A unit of work on a file, to recognize its repetition: a hash of operation, options and step.
struct WorkerAttempt: Equatable {
    enum Part: Hashable {
        /// An operation without pixels, or the start of an animation.
        case operation
        case measure
        case images
        /// A step after a number of frames.
        case step(FrameStep, frameCount: Int)
    }

    private let hash: Int

    init(_ operation: WorkerOperation, _ options: DecodeOptions, _ part: Part) {
        var writer = WireWriter()
        writer.write(operation)
        writer.write(options)
        var hasher = Hasher()
        hasher.combine(writer.bytes)
        hasher.combine(part)
        hash = hasher.finalize()
    }
}
