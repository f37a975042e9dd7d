internal import PlatformImage

/// The parameters of one load.
struct Load: Sendable {
    var url: String
    var fields: HeaderFields
    var policy: CachePolicy
    /// Decoding of the body; nil returns the bytes.
    var decoding: Decoding?
    /// Checks the image header of a body that is not decoded, before it is stored; nil accepts any body.
    var headerDecoder: ImageDecoder?
    var priority: PriorityCell
    var partition: String?
    var cacheKey: String?
    var layers: CacheLayers
    var isRetained: Bool
    /// Handling of redirect responses.
    var redirect: RedirectMode
    /// Accepted content types; nil accepts everything.
    var acceptedContentTypes: Set<ContentType>?
    /// Collects the costs of the load.
    var meter = LoadMeter()

    struct Decoding: Sendable {
        var decoder: ImageDecoder
        var steps: ImageVariant
        /// The priority of the load that decodes; it may change while the load waits.
        var priority: PriorityCell

        /// As in ``ImageCacheKey/variant``.
        var variant: String { steps.name }

        /// A copy for the body of a response with these fields: their content type determines the format when the body
        /// has no known signature.
        func declaring(_ fields: HeaderFields?) -> Self {
            var decoding = self
            decoding.decoder.options.declaredContentType = fields.flatMap(ContentTypeFilter.declaredToDecoder)
            return decoding
        }
    }

    /// A load for a request; it returns plain bytes until ``decoding`` is set.
    init(of request: some LoadRequest, accepting types: Set<ContentType>?, _ settings: LoadSettings) {
        url = request.url
        fields = request.fields
        policy = request.policy
        priority = PriorityCell(request.priority)
        partition = request.partition
        cacheKey = request.cacheKey
        layers = request.layers
        isRetained = request.keepsDownloadingWhenCancelled ?? settings.keepsDownloadingWhenCancelled
        redirect = request.redirect
        acceptedContentTypes = types
    }

    /// Makes the load follow a priority that the caller can change.
    mutating func follow(_ cell: PriorityCell) {
        priority = cell
        decoding?.priority = cell
    }

    /// The kind of content that the load returns.
    var content: LoadRecord.Content { decoding == nil && headerDecoder == nil ? .data : .image }

    /// The cache layers in the key of the load's fetch. For a prefetch to disk they include memory, so that the
    /// prefetch can share its fetch with loads that use memory.
    var fetchLayers: CacheLayers { headerDecoder == nil ? layers : layers.union(.memory) }

    /// True for statuses other than success that a data load returns as a result: redirects with
    /// ``RedirectMode/manual``, and 206 and 304 when the caller's request contains a range or a condition
    /// (Docs/http-cache.md 5.3).
    func returnsToCaller(_ status: Int, _ plan: RequestPlan) -> Bool {
        guard decoding == nil, headerDecoder == nil else { return false }
        if plan.isPassThrough, status == 206 || status == 304 { return true }
        return redirect == .manual && (300...399).contains(status) && status != 304
    }

    /// The name of the decoding that the body must pass before it is stored: the decoding variant, or `header` when
    /// only the header is checked; nil when any body is accepted. No decoding variant has the name `header`.
    var checkedVariant: String? { decoding?.variant ?? (headerDecoder == nil ? nil : "header") }

    /// The acceptance criteria of the load, for comparison with those of cached failures.
    var acceptance: NegativeCache.Acceptance {
        .init(acceptedContentTypes: acceptedContentTypes, variant: decoding?.variant)
    }

    /// - Throws: `cancelled` when the current task is cancelled.
    func throwIfCancelled() throws(LoadError) {
        if Task.isCancelled { throw LoadError.cancelled(url: Redaction.masked(url)) }
    }

    /// An error with the redacted URL of the load.
    func error(_ code: LoadError.Code, _ message: String) -> LoadError {
        LoadError(code, url: Redaction.masked(url), message)
    }
}

/// One request of the redirect chain of a load, with its cache key.
struct LoadHop: Sendable {
    let key: CacheKey
    /// The URL without user information and fragment.
    let url: String
    /// The request to this URL, with credentials.
    let request: CacheRequest
    let load: Load

    /// The key of the decoded image in memory.
    var imageKey: ImageCacheKey { ImageCacheKey(key, variant: load.decoding?.variant ?? "") }

    /// The request's values of the fields `names`, which are those in the `Vary` of a stored response.
    func varying(_ names: [String]) -> [VaryValue] { Vary.values(of: Set(names), request: request.fields) }

    /// A copy with a new ``LoadMeter``, which collects the cost of a fetch separately from the costs of the loads that
    /// share it.
    func metered() -> LoadHop {
        var load = load
        load.meter = LoadMeter()
        return LoadHop(key: key, url: url, request: request, load: load)
    }
}
