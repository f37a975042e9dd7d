import PlatformImage
import Synchronization

/// The responses that a loop has sent from memory in the current second. Each loop has its own, so that loops do not
/// wait for each other.
final class HotResponses: Sendable {
    struct Entry: Sendable {
        let fields: VerifiedTargetCache.ReadyFields
        let body: [UInt8]
    }

    private struct State: Sendable {
        var second: Int64 = 0
        var generation = 0
        var byteCount = 0
        var entries: [VerifiedTargetCache.Name: Entry] = [:]
    }

    /// Maximum size of all bodies in bytes. They can outlive their place in the cache of results, until the loop
    /// inserts a response in another second or generation.
    private static let maxBytes = 8 << 20
    private static let maxCount = 1_024

    private let state = Mutex(State())

    /// Returns the response to a target.
    ///
    /// - Parameters:
    ///   - second: The current second; responses of another second have another age.
    ///   - generation: ``ResultCache/generation``.
    func find(_ name: VerifiedTargetCache.Name, second: Int64, generation: Int) -> Entry? {
        state.locked(in: self) { state in
            guard state.second == second, state.generation == generation else { return nil }
            return state.entries[name]
        }
    }

    /// Adds a response, if there is room, and removes those of another second or generation.
    func insert(_ entry: Entry, for name: VerifiedTargetCache.Name, second: Int64, generation: Int) {
        let outdated = state.locked(in: self) { state in
            var outdated: [VerifiedTargetCache.Name: Entry] = [:]
            if state.second != second || state.generation != generation {
                outdated = state.entries
                state = State(second: second, generation: generation)
            }
            if state.entries[name] == nil, state.entries.count < Self.maxCount,
                state.byteCount.addingClamped(entry.body.count) <= Self.maxBytes
            {
                state.byteCount += entry.body.count
                state.entries[name] = entry
            }
            return outdated
        }
        // The memory is released after the lock.
        _ = outdated
    }
}
