internal import PlatformImage

extension LoadPipeline {
    /// A pipeline with the values of a configuration.
    convenience init(
        _ configuration: ImageLoader.Configuration, number: UInt64, rules: UInt64 = 0, disk: DiskCache?,
        peer: DiskCache?, memory: ImageMemoryCache?, partitionKey: PartitionKey, shared: Shared
    ) {
        self.init(
            LoadSettings(configuration), number: number, rules: rules, disk: disk, peer: peer,
            memory: memory, partitionKey: partitionKey, shared: shared)
    }
}

extension LoadSettings {
    fileprivate init(_ configuration: ImageLoader.Configuration) {
        cache = configuration.cacheSettings
        cacheImagesInMemory = configuration.cacheImagesInMemory
        retainsEncodedData = configuration.retainsEncodedData
        acceptedContentTypes = configuration.acceptedContentTypes
        credentials = Credentials(basicAuth: configuration.basicAuth, origins: configuration.credentialOrigins)
        userAgent = configuration.userAgent
        maxRedirects = configuration.maxRedirects
        trust = configuration.trust
        timeouts = configuration.timeouts
        requestModifier = configuration.requestModifier
        maxResponseBytes = configuration.maxResponseBytes
        retry = configuration.retry
        maxRetryDelay = configuration.maxRetryDelay
        negativeCacheMaxAge = configuration.negativeCacheMaxAge
        keepsDownloadingWhenCancelled = configuration.keepsDownloadingWhenCancelled
        decodeLimits = configuration.decodeLimits
        isolation = configuration.isolation
        maxDecodedBytes = configuration.maxDecodedBytes
        clock = configuration.clock
    }
}

extension LoadReporter {
    /// A reporter with the sinks and the log of a configuration.
    convenience init(_ configuration: ImageLoader.Configuration) {
        self.init(Settings(configuration), number: 0)
    }

    /// Applies another configuration, unless a later one was applied already.
    func configure(_ configuration: ImageLoader.Configuration, number: UInt64) {
        configure(Settings(configuration), number: number)
    }
}

extension LoadReporter.Settings {
    fileprivate init(_ configuration: ImageLoader.Configuration) {
        self.init(
            categories: configuration.eventCategories, eventSink: configuration.eventSink,
            recordSink: configuration.recordSink,
            logCacheMisses: configuration.logCacheMisses, logResponseWarnings: configuration.logResponseWarnings,
            redactURL: configuration.redactURL)
    }
}

extension Load {
    /// A load of plain bytes.
    init(_ request: DataRequest, _ pipeline: LoadPipeline) {
        self.init(of: request, accepting: request.acceptedContentTypes, pipeline.settings)
    }

    /// A load of an image.
    init(_ request: ImageRequest, _ pipeline: LoadPipeline) {
        self.init(of: request, accepting: pipeline.settings.acceptedContentTypes, pipeline.settings)
        var decoder = pipeline.shared.decoder
        var options = request.decodeOptions
        if request.thumbnail != nil { options.scaleDenominator = 1 }  // Thumbnails ignore it, as in `ImageVariant`.
        decoder.options = pipeline.settings.limited(options)
        decoder.isolation = pipeline.settings.isolation
        decoding = Decoding(decoder: decoder, steps: request.keys.variant, priority: priority)
    }
}

extension Load {
    /// A load of the encoded file of an image, whose header is checked.
    init(headerOf request: ImageRequest, _ pipeline: LoadPipeline) {
        self.init(request, pipeline)
        headerDecoder = decoding?.decoder
        decoding = nil
    }
}

extension LoadHop {
    /// The first request of a load, before any redirect; nil for an invalid URL.
    init?(_ load: Load, _ pipeline: LoadPipeline) {
        guard let hop = pipeline.preparation.hop(of: pipeline.preparation.chain(for: load), load) else { return nil }
        self = hop
    }
}
