internal import PlatformImage
internal import Synchronization

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
            content.variants[decoding.variant] = decoded
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

/// The content of a fetched body: bytes, or images in several variants.
struct FetchedContent: Sendable {
    /// The content of a body that was not decoded. A body that was decoded has content without an image here, which
    /// means that it may be stored.
    var plain: LoadContent?
    /// The image that the load which started the fetch found in the cache, by ``ImageVariant/name``.
    var variants: [String: LoadContent] = [:]
    /// The images that were decoded from the body so far.
    let images = FetchedImages()
    /// The variant file of the load that started the fetch, if the stored response is used and its body was not read.
    var variantFile: VariantFiles.File?

    /// The content for a load; nil when the load decodes the body.
    func content(for decoding: Load.Decoding?) -> LoadContent? {
        guard let decoding else { return plain?.bytes == nil ? nil : plain }
        return variants[decoding.variant]
    }
}

/// The images that were decoded from a fetched body, for all loads that wait for the fetch. A load that resumes late
/// finds the image that another load has decoded.
final class FetchedImages: Sendable {
    private let results = Mutex<[String: Result<DecodedImage, DecodeError>]>([:])

    /// The image with this ``ImageVariant/unprocessedName`` or ``ImageVariant/pixelName``, or the error of its decode;
    /// nil when it was not decoded.
    subscript(name: String) -> Result<DecodedImage, DecodeError>? { results.locked(in: self) { $0[name] } }

    /// Adds an image or the error of its decode; has no effect for a cancelled decode.
    func add(_ result: Result<DecodedImage, DecodeError>, named name: String) {
        if case .failure(let error) = result, error.code == .cancelled { return }
        results.locked(in: self) { $0[name] = result }
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
