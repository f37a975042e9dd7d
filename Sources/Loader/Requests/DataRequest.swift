#if Loader
public import PlatformImage

/// What bytes to load, and how.
public struct DataRequest: Hashable, Sendable {
    /// http or https.
    public var url: String
    /// Sent as they are, in this order.
    public var fields: HeaderFields
    /// How what is stored is used.
    public var policy = CachePolicy.default
    /// Which queue the load waits in.
    public var priority = LoadPriority.urgent
    /// Types of which the bytes may be; nil for any.
    public var acceptedContentTypes: Set<ContentType>?
    /// As in ``ImageRequest/partition``.
    public var partition: String?
    /// As in ``ImageRequest/cacheKey``.
    public var cacheKey: String?
    /// As in ``ImageRequest/layers``; data is not kept in memory.
    public var layers = CacheLayers.all
    /// As in ``ImageRequest/redirect``.
    public var redirect = RedirectMode.follow
    /// As in ``ImageRequest/keepsDownloadingWhenCancelled``.
    public var keepsDownloadingWhenCancelled: Bool?

    /// A request with the defaults.
    public init(url: String, fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.url = url
        self.fields = fields
        self.policy = policy
    }
}

extension ImageLoader {
    /// Loads any bytes by the same rules, in a cache of their own.
    ///
    /// - Throws: As ``image(for:)``, and nothing that decoding throws.
    public func data(for request: DataRequest) async throws(LoadError) -> LoadedData {
        let pipeline = try beginData()
        return try await pipeline.run(Load(request, pipeline)).data
    }
}
#endif
