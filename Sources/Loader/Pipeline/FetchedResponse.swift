#if Loader
internal import PlatformImage

/// The result of a successful fetch, shared by all its waiters.
final class FetchedResponse: Sendable {
    enum Kind: Sendable {
        /// The origin sent a body or a redirect.
        case received
        /// The origin confirmed the stored body with 304 Not Modified.
        case notModified
        /// The stored response is used, fresh or in place of an error.
        case stored
    }

    let kind: Kind
    let status: Int
    let fields: HeaderFields
    let isFresh: Bool
    /// The cache entry after the fetch; nil when the response may not be stored.
    let entry: CacheEntry?
    let revision: DiskCache.Revision?
    /// Time at which the stored body was stored; nil for a body from the network.
    let createdAt: WallTime?
    let staleReason: LoadError?
    /// The body without its content codings.
    let body: [UInt8]?
    /// The body decoded with ``variant``; nil when it was not decoded.
    let content: LoadContent?
    let variant: String?

    init(
        _ kind: Kind, status: Int, fields: HeaderFields, isFresh: Bool, entry: CacheEntry? = nil,
        revision: DiskCache.Revision? = nil, createdAt: WallTime? = nil, staleReason: LoadError? = nil,
        body: [UInt8]? = nil,
        content: LoadContent? = nil, variant: String? = nil
    ) {
        self.kind = kind
        self.status = status
        self.fields = fields
        self.isFresh = isFresh
        self.entry = entry
        self.revision = revision
        self.createdAt = createdAt
        self.staleReason = staleReason
        self.body = body
        self.content = content
        self.variant = variant
    }

    /// A result that uses the stored response of a request.
    convenience init(
        _ kind: Kind, _ stored: CachedResponse, _ found: LookupResult, _ hop: LoadHop, entry: CacheEntry?,
        staleReason error: LoadError? = nil
    ) {
        self.init(
            kind, status: stored.status, fields: stored.fields, isFresh: stored.isFresh, entry: entry,
            revision: found.revision, createdAt: found.entry?.response?.createdAt, staleReason: error,
            body: found.content, content: found.cachedImage?.content,
            variant: found.cachedImage == nil ? nil : hop.load.decoding?.variant)
    }

    /// True when the body is on disk.
    var isStored: Bool { revision != nil }
}

/// The failure of a fetch.
struct FetchFailure: Error, Sendable {
    let error: LoadError
    /// The decoding variant that failed; a load with another variant may succeed. Nil when the failure concerns all
    /// loads.
    var variant: String?
}

typealias FetchResult = Result<FetchedResponse, FetchFailure>
#endif
