@testable import PlatformImageLoader

/// The store of cache entries in a scenario: memory or disk.
protocol ScenarioStore {
    /// The entry of the variant that `request` selects, otherwise the newest one; the body is nil when none is stored.
    mutating func find(_ key: CacheKey, request: HeaderFields) throws -> (entry: CacheEntry, body: [UInt8]?)?
    /// Stores an entry as the newest of its key.
    mutating func write(_ entry: CacheEntry, body: [UInt8]?) throws
    /// Replaces the metadata of a variant's entry; its body does not change.
    mutating func update(_ entry: CacheEntry) throws
    /// Removes the entry that ``find(_:request:)`` returns for the same arguments; a store on disk removes all
    /// variants.
    mutating func remove(_ key: CacheKey, request: HeaderFields) throws
}

/// Entries in memory, the newest of a key last.
struct EntriesInMemory: ScenarioStore {
    private var entries: [CacheKey: [(entry: CacheEntry, body: [UInt8]?)]] = [:]

    mutating func find(_ key: CacheKey, request: HeaderFields) -> (entry: CacheEntry, body: [UInt8]?)? {
        guard let index = index(key, request) else { return nil }
        return entries[key]?[index]
    }

    mutating func write(_ entry: CacheEntry, body: [UInt8]?) {
        entries[entry.key, default: []].removeAll { $0.entry.response?.vary == entry.response?.vary }
        entries[entry.key, default: []].append((entry, body))
    }

    mutating func update(_ entry: CacheEntry) throws {
        let variants = entries[entry.key] ?? []
        let index = variants.lastIndex { $0.entry.response?.createdAt == entry.response?.createdAt }
        guard let index else { throw ScenarioError(text: "the updated entry is not stored") }
        entries[entry.key]?[index].entry = entry
    }

    mutating func remove(_ key: CacheKey, request: HeaderFields) {
        guard let index = index(key, request) else { return }
        entries[key]?.remove(at: index)
    }

    private func index(_ key: CacheKey, _ request: HeaderFields) -> Int? {
        guard let variants = entries[key], !variants.isEmpty else { return nil }
        return variants.lastIndex { Vary.matches($0.entry.response?.vary ?? [], request) } ?? variants.count - 1
    }
}

/// An error in a scenario or in the code under test.
struct ScenarioError: Error {
    let text: String
}
