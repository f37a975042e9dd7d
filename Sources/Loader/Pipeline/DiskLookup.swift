#if Loader
internal import Dispatch

/// Reads stored responses from disk.
struct DiskLookup: Sendable {
    let disk: DiskCache?
    /// The queue for blocking reads.
    let queue: DispatchQueue
    let maxResponseBytes: Int
    let useServerCachePolicy: Bool

    /// The result of a disk lookup for one request of a redirect chain.
    struct Result: Sendable {
        /// Nil when no stored response matches.
        var hit: DiskCache.Hit?
        /// The stored body without its content codings.
        var content: [UInt8]?
        var missing: DiskName?
    }

    /// Reads the entry of a request without blocking the calling thread.
    func read(_ hop: LoadHop, from disk: DiskCache) async -> Result {
        await queue.run(timing: hop.load.meter) { readBlocking(hop, from: disk) }
    }

    /// Reads the entry of a request; blocks the calling thread.
    func readBlocking(_ hop: LoadHop, from disk: DiskCache) -> Result {
        var result = Result()
        result.hit = disk.read(hop.key, varying: hop.varying, missing: &result.missing)
        result.content = result.hit.flatMap(content)
        return result
    }

    /// Merges the result from disk into the result from memory.
    func complete(_ found: inout LookupResult, with result: Result) {
        let hit = result.hit
        found.missing = result.missing
        if let hit, hit.entry.response != nil {
            // The entry on disk is authoritative, because other loads and processes may have refreshed it.
            if found.cachedImage?.revision != hit.revision {
                found.cachedImage = nil
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
        if found.isPurged, !useServerCachePolicy { found.discardResponse() }
        if found.entry == nil { found.entry = hit?.entry } else { found.entry?.failure = hit?.entry.failure }
    }

    /// The stored entry of a request, without reading or verifying its body; nil for none.
    func headerBlocking(_ hop: LoadHop) -> CacheEntry? {
        guard hop.load.layers.contains(.readsDisk) else { return nil }
        return disk?.header(hop.key, varying: hop.varying)?.entry
    }

    /// As ``headerBlocking(_:)``, without blocking the calling thread.
    func header(_ hop: LoadHop) async -> CacheEntry? {
        await queue.run { headerBlocking(hop) }
    }

    /// The stored body without its content codings; nil when these cannot be decoded, or when the content exceeds
    /// ``maxResponseBytes``. Decoding may take as long as reading.
    private func content(of hit: DiskCache.Hit) -> [UInt8]? {
        guard let fields = hit.entry.response?.fields, fields.contains("Content-Encoding") else { return hit.body }
        return try? ContentDecoder.content(of: hit.body, fields, maxBytes: maxResponseBytes)
    }
}

extension DispatchQueue {
    /// Runs blocking disk work on this queue and adds its duration to `meter`, which accumulates the cost of a load or
    /// fetch.
    func run<Value: Sendable>(timing meter: LoadMeter, _ work: @escaping @Sendable () -> Value) async -> Value {
        let begin = ContinuousClock.now
        defer { meter.add(\.disk, since: begin) }
        return await run(work)
    }
}
#endif
