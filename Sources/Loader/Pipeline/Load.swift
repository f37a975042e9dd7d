#if Loader
internal import PlatformImage

/// What a pipeline is asked for.
struct Load: Sendable {
    var url: String
    var fields: HeaderFields
    var policy: CachePolicy
    /// How the body becomes a picture; nil leaves it as bytes.
    var decoding: Decoding?
    /// Reads the header of a body that is left as bytes, before it is stored; nil takes any body.
    var headerDecoder: ImageDecoder?
    var priority: PriorityCell
    var partition: String?
    var cacheKey: String?
    var layers: CacheLayers
    var isKept: Bool
    /// What becomes of a 3xx.
    var redirect: RedirectMode
    /// Nil accepts everything.
    var acceptedContentTypes: Set<ContentType>?
    /// Adds up what the load costs.
    var meter = LoadMeter()

    struct Decoding: Sendable {
        var decoder: ImageDecoder
        /// As in ``ImageCacheKey/variant``.
        var variant: String
    }

    /// A load with these limits; of plain bytes until ``decoding`` is set.
    init(of request: some LoadRequest, accepting types: Set<ContentType>?, _ settings: LoadSettings) {
        url = request.url
        fields = request.fields
        policy = request.policy
        priority = PriorityCell(request.priority)
        partition = request.partition
        cacheKey = request.cacheKey
        layers = request.layers
        isKept = request.keepsDownloadingWhenCancelled ?? settings.keepsDownloadingWhenCancelled
        redirect = request.redirect
        acceptedContentTypes = types
    }

    /// What is asked for.
    var content: LoadRecord.Content { decoding == nil && headerDecoder == nil ? .data : .image }

    /// The layers that the load's fetch is shared by: a prefetch to disk shares it with loads that use memory too.
    var fetchLayers: CacheLayers { headerDecoder == nil ? layers : layers.union(.memory) }

    /// True for a status that bytes are given back with although it is no success: a redirect for those who follow
    /// themselves, and what answers conditions and ranges of the caller's own (HTTP-CACHE 5.3).
    func givesBack(_ status: Int, _ plan: RequestPlan) -> Bool {
        guard decoding == nil, headerDecoder == nil else { return false }
        if plan.isPassThrough, status == 206 || status == 304 { return true }
        return redirect == .manual && (300...399).contains(status) && status != 304
    }

    /// What the load takes for a success.
    var taking: NegativeCache.Taking { .init(acceptedContentTypes: acceptedContentTypes, variant: decoding?.variant) }

    /// - Throws: `cancelled` when the load's task is.
    func throwIfCancelled() throws(LoadError) {
        if Task.isCancelled { throw LoadError.cancelled(url: Redaction.shown(url)) }
    }

    /// The error for this address.
    func error(_ code: LoadError.Code, _ message: String) -> LoadError {
        LoadError(code, url: Redaction.shown(url), message)
    }
}

/// One hop of a load: what is looked for, and what goes out if it must.
struct LoadHop: Sendable {
    let key: CacheKey
    /// Without user information and fragment.
    let url: String
    /// As the caller means it, with credentials.
    let request: CacheRequest
    let load: Load

    /// The name of the picture in memory.
    var imageKey: ImageCacheKey { ImageCacheKey(key, variant: load.decoding?.variant ?? "") }

    /// What the request says in the fields that a stored response varies by.
    func varying(_ names: [String]) -> [VaryValue] { Vary.values(of: Set(names), request: request.fields) }

    /// The same hop with a meter of its own, for a fetch that several loads may share.
    func metered() -> LoadHop {
        var load = load
        load.meter = LoadMeter()
        return LoadHop(key: key, url: url, request: request, load: load)
    }
}
#endif
