#if Loader
internal import Dispatch

/// The stored responses on disk.
struct DiskLookup: Sendable {
    let disk: DiskCache?
    /// Where blocking reads run.
    let queue: DispatchQueue
    let maxResponseBytes: Int
    let useServerCachePolicy: Bool

    /// What the disk holds for a hop.
    struct Result: Sendable {
        /// Nil for nothing that answers.
        var hit: DiskCache.Hit?
        /// The body without its content codings.
        var content: [UInt8]?
        var missing: DiskName?
    }

    /// Reads without holding the calling thread.
    func read(_ hop: LoadHop, from disk: DiskCache) async -> Result {
        await queue.run(timing: hop.load.meter) { readBlocking(hop, from: disk) }
    }

    /// Reads; the calling thread waits for the disk.
    func readBlocking(_ hop: LoadHop, from disk: DiskCache) -> Result {
        var result = Result()
        result.hit = disk.read(hop.key, varying: hop.varying, missing: &result.missing)
        result.content = result.hit.flatMap(content)
        return result
    }

    /// Adds what the disk holds to what memory holds.
    func complete(_ found: inout FoundEntry, with result: Result) {
        let hit = result.hit
        found.missing = result.missing
        if let hit, hit.entry.response != nil {
            // The disk knows more: other loads and processes renew what is there.
            if found.picture?.revision != hit.revision {
                found.picture = nil
                found.isInMemory = false
            }
            found.isPurged = false
            found.entry = hit.entry
            found.body = hit.body
            found.content = result.content
            found.revision = hit.revision
            return
        }
        found.revision = nil
        if found.isPurged, !useServerCachePolicy { found.forgetResponse() }
        if found.entry == nil { found.entry = hit?.entry } else { found.entry?.failure = hit?.entry.failure }
    }

    /// The entry on disk for a hop, whose body is neither read nor verified; nil for none.
    func headBlocking(_ hop: LoadHop) -> CacheEntry? {
        guard hop.load.layers.contains(.readsDisk) else { return nil }
        return disk?.head(hop.key, varying: hop.varying)?.entry
    }

    /// As ``headBlocking(_:)``, without holding the calling thread.
    func head(_ hop: LoadHop) async -> CacheEntry? {
        await queue.run { headBlocking(hop) }
    }

    /// The content of a stored body; nil when it cannot be decoded. It may take as long as reading it did.
    private func content(of hit: DiskCache.Hit) -> [UInt8]? {
        guard let fields = hit.entry.response?.fields, fields.contains("Content-Encoding") else { return hit.body }
        return try? ContentDecoder.content(of: hit.body, fields, maxBytes: maxResponseBytes)
    }
}

extension DispatchQueue {
    /// Runs work that waits for the disk, and adds the time to a load's or fetch's meter.
    func run<Value: Sendable>(timing meter: LoadMeter, _ work: @escaping @Sendable () -> Value) async -> Value {
        let begin = ContinuousClock.now
        defer { meter.add(\.disk, since: begin) }
        return await run(work)
    }
}
#endif
