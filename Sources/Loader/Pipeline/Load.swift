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

    /// A load of plain bytes.
    init(_ request: DataRequest, _ pipeline: LoadPipeline) {
        self.init(of: request, accepting: request.acceptedContentTypes, pipeline)
    }

    /// A load of a picture.
    init(_ request: ImageRequest, _ pipeline: LoadPipeline) {
        self.init(of: request, accepting: pipeline.configuration.acceptedContentTypes, pipeline)
        var decoder = pipeline.shared.decoder
        decoder.options = Self.options(request.decodeOptions, pipeline.configuration)
        decoding = Decoding(decoder: decoder, variant: request.keys.variant)
    }

    private init(of request: some LoadRequest, accepting types: Set<ContentType>?, _ pipeline: LoadPipeline) {
        url = request.url
        fields = request.fields
        policy = request.policy
        priority = PriorityCell(request.priority)
        partition = request.partition
        cacheKey = request.cacheKey
        layers = request.layers
        isKept = request.keepsDownloadingWhenCancelled ?? pipeline.configuration.keepsDownloadingWhenCancelled
        redirect = request.redirect
        acceptedContentTypes = types
    }

    /// The options of a request within the limits of the configuration: both have a say.
    private static func options(
        _ options: DecodeOptions, _ configuration: ImageLoader.Configuration
    ) -> DecodeOptions {
        var options = options
        if options.limits != configuration.decodeLimits {
            options.limits = options.limits.lowered(to: configuration.decodeLimits)
        }
        // The picture has four bytes a pixel, and a scale is of each side.
        let scale = options.scaleDenominator
        let area = scale.multipliedReportingOverflow(by: scale)
        let pixels = (configuration.maxDecodedBytes / 4).multipliedReportingOverflow(by: area.partialValue)
        if !area.overflow && !pixels.overflow {
            options.limits.maxPixels = min(options.limits.maxPixels ?? .max, max(1, pixels.partialValue))
        }
        return options
    }

    /// True for a status that bytes are given back with although it is no success: a redirect for those who follow
    /// themselves, and what answers conditions and ranges of the caller's own (HTTP-CACHE 5.3).
    func givesBack(_ status: Int, _ plan: RequestPlan) -> Bool {
        guard decoding == nil, headerDecoder == nil else { return false }
        if plan.isPassThrough, status == 206 || status == 304 { return true }
        return redirect == .manual && (300...399).contains(status) && status != 304
    }

    /// What the load takes for a success.
    var taking: NegativeCache.Taking { .init(acceptedContentTypes: acceptedContentTypes, variant: decoding?.variant) }

    /// The error for this address.
    func error(_ code: LoadError.Code, _ message: String) -> LoadError {
        LoadError(code, url: Redaction.shown(url), message)
    }
}

extension DecodeLimits {
    /// The lower of both for what decides about memory and time before all else.
    fileprivate func lowered(to other: DecodeLimits) -> DecodeLimits {
        func lower(_ a: Int?, _ b: Int?) -> Int? { a.map { a in b.map { min(a, $0) } ?? a } ?? b }
        var limits = self
        for property in Self.properties {
            limits[keyPath: property] = lower(self[keyPath: property], other[keyPath: property])
        }
        return limits
    }

    private static var properties: [WritableKeyPath<DecodeLimits, Int?>] {
        [
            \.maxInputBytes, \.maxSide, \.maxPixels, \.maxMemory, \.maxFrames, \.maxTotalPixels, \.maxScans,
            \.maxScanSamples, \.maxPages, \.maxSamplesPerPixel, \.maxTileSide, \.maxMetadataItem, \.maxMetadataTotal,
            \.maxChunks,
        ]
    }
}
#endif
