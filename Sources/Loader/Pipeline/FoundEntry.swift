#if Loader
internal import PlatformImage

/// What the caches hold for a hop.
struct FoundEntry: Sendable {
    /// When it was looked for.
    struct Moments: Sendable {
        let fetches: UInt64
        let memory: UInt64
        let disk: DiskCache.Ticket?
    }

    var entry: CacheEntry?
    /// The verified body from disk, as it came.
    var body: [UInt8]?
    /// What it means without its content codings, which are undone anew on each use (HTTP-CACHE 5.2).
    var content: [UInt8]?
    /// Of the response on disk.
    var revision: DiskCache.Revision?
    /// The decoded picture of the same response.
    var picture: PictureMemory.Picture?
    /// True when a purge of the disk has ended the picture's freshness.
    var isPurged = false
    /// The key's name on disk, when that was looked at and had nothing under it, of no variant.
    var missing: DiskName?
    let moments: Moments

    init(moments: Moments) { self.moments = moments }

    /// True when the picture was in memory when it was looked for.
    var isInMemory = false

    /// Names the body, to share its decoding by.
    var identity: DecodeSource { revision.map { .disk($0) } ?? .unnamed }

    /// Goes on as if there were no response, because no picture can be made of it; a remembered error stays.
    mutating func forgetResponse() {
        entry?.response = nil
        body = nil
        content = nil
        picture = nil
        isInMemory = false
        revision = nil
    }
}

extension FailedResponse {
    /// A stored response.
    init(_ stored: StoredAnswer, of found: FoundEntry) {
        self.init(
            status: stored.status, fields: stored.fields, body: found.content ?? [],
            source: found.isInMemory ? .memory : .disk)
    }
}
#endif
