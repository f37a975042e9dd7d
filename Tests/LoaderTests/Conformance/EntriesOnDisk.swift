import Foundation

@testable import PlatformImageLoader

/// Entries in a temporary folder. Every operation opens a new cache on it, as another process would.
struct EntriesOnDisk: ScenarioStore {
    let folder: URL
    /// The revision of the entry that was found last; `update` needs it.
    private var revision: DiskCache.Revision?

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cache-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private var cache: DiskCache { DiskCache(directory: folder.path) }

    mutating func find(_ key: CacheKey, request: HeaderFields) -> (entry: CacheEntry, body: [UInt8]?)? {
        revision = nil
        guard let hit = cache.read(key, varying: values(request)) else { return nil }
        revision = hit.revision
        return (hit.entry, hit.entry.response == nil ? nil : hit.body)
    }

    mutating func write(_ entry: CacheEntry, body: [UInt8]?) throws {
        guard cache.store(entry, body: body ?? []) else { throw ScenarioError(text: "the entry was not stored") }
    }

    mutating func update(_ entry: CacheEntry) throws {
        guard let revision, cache.refresh(entry, of: revision) else {
            throw ScenarioError(text: "the updated entry is not stored")
        }
    }

    mutating func remove(_ key: CacheKey, request: HeaderFields) {
        cache.remove(key)
    }

    private func values(_ request: HeaderFields) -> DiskCache.RequestValues {
        { names in
            let vary = HeaderFields(names.map { HeaderField("Vary", $0) })
            return Vary.values(of: vary, request: request) ?? []
        }
    }
}
