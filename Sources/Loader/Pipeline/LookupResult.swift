#if Loader
internal import PlatformImage

/// The generations of the fetch table and the caches at the time of a lookup; a load compares them later to detect a
/// purge or a fetch that has ended since.
struct CacheGenerations: Sendable {
    let fetches: UInt64
    let memory: UInt64
    let disk: DiskCache.Ticket?
}

/// The result of a cache lookup for one request of a redirect chain.
struct LookupResult: Sendable {
    var entry: CacheEntry?
    /// The verified body from disk, with its content codings.
    var body: [UInt8]?
    /// The body without its content codings, which are decoded on each use (Docs/http-cache.md 5.2).
    var content: [UInt8]?
    /// Identifies the response on disk; nil when it is not on disk.
    var revision: DiskCache.Revision?
    /// The decoded image of the response.
    var cachedImage: ImageMemoryCache.CachedImage?
    /// True when the image in memory is no longer fresh because the disk was purged.
    var isPurged = false
    /// The key's file name when the lookup found no entry of any variant; otherwise nil.
    var missing: DiskName?
    /// The generations at the time of the lookup.
    let generations: CacheGenerations

    init(generations: CacheGenerations) { self.generations = generations }

    /// True when ``cachedImage`` was found in memory, false when it was decoded from the stored body.
    var isInMemory = false

    /// Identifies the body, so that loads can share its decode.
    var identity: DecodeSource { revision.map { .disk($0) } ?? .unidentified }

    /// Removes the response, because its body does not decode or is not accepted; a stored error is not removed.
    mutating func discardResponse() {
        entry?.response = nil
        body = nil
        content = nil
        cachedImage = nil
        isInMemory = false
        revision = nil
    }
}

extension FailedResponse {
    /// The response of a stored entry.
    init(_ stored: CachedResponse, of found: LookupResult) {
        self.init(
            status: stored.status, fields: stored.fields, body: found.content ?? [],
            source: found.isInMemory ? .memory : .disk)
    }
}
#endif
