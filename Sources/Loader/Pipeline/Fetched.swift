#if Loader
internal import PlatformImage

/// What a fetch came to, the same for all who waited.
final class Fetched: Sendable {
    enum Kind: Sendable {
        /// The origin sent a body, or a redirect.
        case received
        /// The origin confirmed the stored body.
        case notModified
        /// What is stored answers after all.
        case stored
    }

    let kind: Kind
    let status: Int
    let fields: HeaderFields
    let isFresh: Bool
    /// What the caches hold now; nil when they do not.
    let entry: CacheEntry?
    let revision: DiskCache.Revision?
    /// When the stored body that answers was stored; nil for one that came now.
    let createdAt: WallTime?
    let insteadOf: LoadError?
    /// The content of the body, without its codings.
    let body: [UInt8]?
    /// The body decoded as ``variant`` says; nil when nobody has needed it.
    let content: LoadContent?
    let variant: String?

    init(
        _ kind: Kind, status: Int, fields: HeaderFields, isFresh: Bool, entry: CacheEntry? = nil,
        revision: DiskCache.Revision? = nil, createdAt: WallTime? = nil, insteadOf: LoadError? = nil,
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
        self.insteadOf = insteadOf
        self.body = body
        self.content = content
        self.variant = variant
    }

    /// What is stored of a hop, as the end of its fetch.
    convenience init(
        _ kind: Kind, _ stored: StoredAnswer, _ found: FoundEntry, _ hop: LoadHop, entry: CacheEntry?,
        insteadOf error: LoadError? = nil
    ) {
        self.init(
            kind, status: stored.status, fields: stored.fields, isFresh: stored.isFresh, entry: entry,
            revision: found.revision, createdAt: found.entry?.response?.createdAt, insteadOf: error,
            body: found.content, content: found.picture?.content,
            variant: found.picture == nil ? nil : hop.load.decoding?.variant)
    }

    /// True when the body is on disk.
    var isStored: Bool { revision != nil }
}

/// Why a fetch failed.
struct FetchFailure: Error, Sendable {
    let error: LoadError
    /// The decoding that failed, when another one might do better.
    var variant: String?
}

typealias FetchEnd = Result<Fetched, FetchFailure>
#endif
