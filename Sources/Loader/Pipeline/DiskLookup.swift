internal import Dispatch
internal import PlatformImage

/// Reads stored responses from disk.
struct DiskLookup: Sendable {
    let disk: DiskCache?
    /// The other disk cache of the loader: that of data for images, and that of images for data. A success that is
    /// stored only there is used too, so that both kinds of loads share one download.
    let peer: DiskCache?
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
        /// True when ``hit`` was read from the other disk cache.
        var isFromPeer = false
    }

    /// Reads the entry of a request without blocking the calling thread.
    func read(_ hop: LoadHop, from disk: DiskCache) async -> Result {
        await queue.run(timing: hop.load.meter) { readBlocking(hop, from: disk) }
    }

    /// Reads the entry of a request; blocks the calling thread.
    func readBlocking(_ hop: LoadHop, from disk: DiskCache) -> Result {
        var result = Result()
        result.hit = disk.read(hop.key, varying: hop.varying, missing: &result.missing)
        if result.hit?.entry.response == nil, let peer, peer.header(hop.key, varying: hop.varying)?.isUsable == true,
            let hit = peer.read(hop.key, varying: hop.varying), let response = hit.entry.response
        {
            let entry = CacheEntry(key: hop.key, response: response, failure: result.hit?.entry.failure)
            result.hit = DiskCache.Hit(entry: entry, body: hit.body, revision: hit.revision)
            result.isFromPeer = true
        }
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
            found.revision = result.isFromPeer ? nil : hit.revision
            found.peerRevision = result.isFromPeer ? hit.revision : nil
            return
        }
        found.revision = nil
        if found.isPurged, !useServerCachePolicy { found.discardResponse() }
        if found.entry == nil { found.entry = hit?.entry } else { found.entry?.failure = hit?.entry.failure }
    }

    /// Merges a variant file and the header of its source into the result from memory. The stored body is not read.
    func complete(_ found: inout LookupResult, with file: VariantFiles.File) {
        var result = Result(isFromPeer: file.isSourceFromPeer)
        result.hit = DiskCache.Hit(entry: file.entry, body: [], revision: file.source.revision)
        complete(&found, with: result)
        found.body = nil
        if found.cachedImage == nil { found.variantFile = file }
    }

    /// The stored entry of a request, without reading or verifying its body; nil for none.
    func headerBlocking(_ hop: LoadHop) -> CacheEntry? {
        guard hop.load.layers.contains(.readsDisk), let disk else { return nil }
        let entry = disk.header(hop.key, varying: hop.varying)?.entry
        if entry?.response == nil, let other = peer?.header(hop.key, varying: hop.varying), other.isUsable {
            return CacheEntry(key: hop.key, response: other.entry.response, failure: entry?.failure)
        }
        return entry
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

extension DiskCache.Header {
    /// True for a stored success.
    fileprivate var isUsable: Bool { entry.response.map { Storability.isSuccess($0.status) } ?? false }
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
