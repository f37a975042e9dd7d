#if Loader
internal import PlatformImage

/// Loads with equal keys share one fetch: the same request, to be stored in the same way.
struct FetchKey: Hashable, Sendable {
    let key: CacheKey
    let url: String
    let fields: HeaderFields
    /// A reload joins nothing but what asks without conditions itself.
    let isReload: Bool
    /// One that must ask the origin does not join what may find the stored answer good enough.
    let isRevalidation: Bool
    let layers: CacheLayers
    /// Nil for anything, so a picture and plain bytes are never one fetch.
    let acceptedContentTypes: Set<ContentType>?
    let configuration: UInt64
    /// The decoding that alone may share it; nil for any.
    let variant: String?
    let isRefetch: Bool
    let redirect: RedirectMode

    /// The rest is nearly always the same for one resource, and costs more to hash than to compare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FetchKey {
    /// The key of the fetch that a hop wants.
    ///
    /// - Parameters:
    ///   - variant: As in ``variant``.
    ///   - configuration: Tells fetches of one configuration from those of another.
    init(_ hop: LoadHop, variant: String?, isRefetch: Bool, configuration: UInt64) {
        self.init(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: hop.request.policy == .reload,
            isRevalidation: hop.request.policy == .revalidate, layers: hop.load.fetchLayers,
            acceptedContentTypes: hop.load.acceptedContentTypes, configuration: configuration, variant: variant,
            isRefetch: isRefetch, redirect: hop.load.redirect)
    }
}
#endif
