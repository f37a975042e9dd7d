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
    /// The variant file of the load; the stored body was then not read. It is decoded only when the load uses the
    /// stored response.
    var variantFile: VariantFiles.File?
    /// True when the image in memory is no longer fresh because the disk was purged.
    var isPurged = false
    /// The key's file name when the lookup found no entry of any variant; otherwise nil.
    var missing: DiskName?
    /// The generations at the time of the lookup.
    let generations: CacheGenerations

    init(generations: CacheGenerations) { self.generations = generations }

    /// True when ``cachedImage`` or ``content`` was found in memory, false when it was read from disk.
    var isInMemory = false
    /// Identifies the response in the other disk cache: that of data for an image load, that of images for a data load.
    /// Nil when it was not read from there.
    var peerRevision: DiskCache.Revision?

    /// Identifies the response in either disk cache; nil when it is in none.
    var bodyRevision: DiskCache.Revision? { revision ?? peerRevision }

    /// True when the response is in one of the disk caches.
    var isStored: Bool { bodyRevision != nil }

    /// Identifies the body, so that loads can share its decode.
    var identity: DecodeSource { bodyRevision.map { .disk($0) } ?? .unidentified }

    /// The stored body of this lookup, if a fetch confirmed that body; nil otherwise. The load that started the fetch
    /// may have read only the variant file of the body.
    func content(storedAt fetched: FetchedResponse) -> [UInt8]? {
        fetched.isStoredResponse(of: self) ? content : nil
    }

    /// Removes the response, because its body does not decode or is not accepted; a stored error is not removed.
    mutating func discardResponse() {
        entry?.response = nil
        body = nil
        content = nil
        cachedImage = nil
        variantFile = nil
        isInMemory = false
        revision = nil
        peerRevision = nil
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
