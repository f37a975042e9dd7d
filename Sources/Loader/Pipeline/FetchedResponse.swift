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
    /// The decoded variants, and the bytes of a body that was not decoded.
    let content: FetchedContent

    init(
        _ kind: Kind, status: Int, fields: HeaderFields, isFresh: Bool, entry: CacheEntry? = nil,
        revision: DiskCache.Revision? = nil, createdAt: WallTime? = nil, staleReason: LoadError? = nil,
        body: [UInt8]? = nil, content: FetchedContent = FetchedContent()
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
    }

    /// A result that uses the stored response of a request.
    convenience init(
        _ kind: Kind, _ stored: CachedResponse, _ found: LookupResult, _ hop: LoadHop, entry: CacheEntry?,
        staleReason error: LoadError? = nil
    ) {
        var content = FetchedContent()
        if let decoded = found.cachedImage?.content, let decoding = hop.load.decoding {
            content.variants[decoding.variant] = .success(decoded)
        }
        content.variantFile = found.variantFile
        self.init(
            kind, status: stored.status, fields: stored.fields, isFresh: stored.isFresh, entry: entry,
            revision: found.bodyRevision, createdAt: found.entry?.response?.createdAt, staleReason: error,
            body: found.content, content: content)
    }

    /// True when the fetch used or confirmed the stored response of a lookup.
    func isStoredResponse(of found: LookupResult) -> Bool {
        kind != .received && createdAt != nil && createdAt == found.entry?.response?.createdAt
    }

    /// True when the body is on disk.
    var isStored: Bool { revision != nil }
}

/// The content of a fetched body: bytes, or decoded images in several variants.
struct FetchedContent: Sendable {
    /// The content of a body that was not decoded. A body that was decoded has content without an image here, which
    /// means that it may be stored.
    var plain: LoadContent?
    /// The decoded images by ``ImageVariant/name``, and the errors of variants that cannot be made of this body.
    var variants: [String: Result<LoadContent, LoadError>] = [:]
    /// The variant file of the load that started the fetch, if the stored response is used and its body was not read.
    var variantFile: VariantFiles.File?

    /// The content for a load; nil when its variant was not decoded.
    func content(for decoding: Load.Decoding?) -> Result<LoadContent, LoadError>? {
        guard let decoding else { return plain?.bytes == nil ? nil : plain.map { .success($0) } }
        return variants[decoding.variant]
    }
}

/// The failure of a fetch.
struct FetchFailure: Error, Sendable {
    let error: LoadError
    /// The errors of the decoding variants that failed; a load with another variant may succeed. Nil when the failure
    /// concerns all loads.
    var variants: [String: LoadError]?

    /// True when a load may succeed although the fetch failed: the body does not decode with the options and limits of
    /// other loads, but may decode with those of this load.
    func mayBeRetried(by load: Load) -> Bool {
        guard let variants else { return false }
        return load.checkedVariant.map { variants[$0] == nil } ?? true
    }

    /// The error for a load that shares the fetch.
    func error(for load: Load) -> LoadError { load.checkedVariant.flatMap { variants?[$0] } ?? error }
}

typealias FetchResult = Result<FetchedResponse, FetchFailure>
#endif
