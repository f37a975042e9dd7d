internal import PlatformImage

/// The settings of ``ImageLoader/Configuration`` that a pipeline uses.
struct LoadSettings: Sendable {
    var cache: CacheSettings
    var cacheImagesInMemory: Bool
    var retainsEncodedData: Bool
    var acceptedContentTypes: Set<ContentType>
    var credentials: Credentials
    var userAgent: String?
    var maxRedirects: Int
    var trust: TrustSettings
    var timeouts: TransportTimeouts
    var requestModifier: (@Sendable (HTTPRequest) async throws -> HTTPRequest)?
    var maxResponseBytes: Int
    var retry: RetryPolicy
    var maxRetryDelay: Duration
    var negativeCacheMaxAge: Duration?
    var keepsDownloadingWhenCancelled: Bool
    var decodeLimits: DecodeLimits
    var isolation: DecodeIsolation
    var maxDecodedBytes: Int
    var clock: @Sendable () -> WallTime

    /// The decode options of a request. Each limit is the lower one of the request's and the configuration's limit;
    /// ``maxDecodedBytes`` also limits the number of pixels.
    func limited(_ options: DecodeOptions) -> DecodeOptions {
        var options = options
        if options.limits != decodeLimits { options.limits = options.limits.lowered(to: decodeLimits) }
        // A decoded image has four bytes per pixel, and the scale denominator applies to both sides.
        let scale = options.scaleDenominator
        let area = scale.multipliedReportingOverflow(by: scale)
        let pixels = (maxDecodedBytes / 4).multipliedReportingOverflow(by: area.partialValue)
        if !area.overflow && !pixels.overflow {
            options.limits.maxPixels = min(options.limits.maxPixels ?? .max, max(1, pixels.partialValue))
        }
        return options
    }
}

extension DecodeLimits {
    /// The lower of both values for each limit; nil means no limit.
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
            \.maxChunks, \.maxWork,
        ]
    }
}
