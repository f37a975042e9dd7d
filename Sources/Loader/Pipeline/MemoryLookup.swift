internal import PlatformImage

/// Looks up decoded images in memory.
struct MemoryLookup: Sendable {
    let memory: ImageMemoryCache?
    /// The disk cache. Purging it ends the freshness of the images in memory that were decoded from its entries.
    let disk: DiskCache?
    /// False when the memory cache is disabled.
    let isEnabled: Bool
    /// False when the memory cache alone can never complete a load: it is disabled, or the keys depend on
    /// credentials or trust settings of the configuration.
    let canCompleteLoads: Bool
    /// True when images in memory have their encoded bytes.
    let retainsEncodedData: Bool
    let settings: CacheSettings
    let acceptedContentTypes: Set<ContentType>
    /// Number of the last configuration that changed the cache settings or the accepted content types.
    let rules: UInt64
    let clock: @Sendable () -> WallTime

    /// The result of a load that the memory cache completes without the pipeline; nil when the pipeline is needed.
    ///
    /// Handles one case: a fresh image, a request without fields that affect caching, and a policy that a fresh image
    /// satisfies. The result is the same as with ``CacheDecision/decide(entry:request:settings:now:)``. Returns nil in
    /// all other cases.
    func image(for request: ImageRequest) -> LoadedImage? {
        guard canCompleteLoads, request.policy != .reload, request.policy != .revalidate,
            request.layers.contains(.readsMemory), let key = request.keys.imageKey,
            let cachedImage = memory?.cache.value(for: key),
            let (response, lifespan) = cachedImage.lifespan(byRules: rules, { lifespan(of: cachedImage, $0) }),
            // After a purge of the disk cache, images decoded from its entries are no longer fresh.
            cachedImage.ticket == nil || cachedImage.ticket == disk?.ticket(),
            let image = cachedImage.content.image
        else { return nil }
        let freshness = lifespan.freshness(at: clock())
        guard freshness.isFresh else { return nil }
        return LoadedImage(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: .memory, isFresh: true,
            isStored: cachedImage.revision != nil, staleReason: nil, status: response.status,
            responseFields: ResponseFields(stored: response.fields, age: freshness.age),
            encodedData: cachedImage.content.bytes,
            timings: LoadTimings())
    }

    /// The entry in memory for a request.
    func find(_ hop: LoadHop, at generations: CacheGenerations) -> LookupResult {
        var found = LookupResult(generations: generations)
        guard hop.load.layers.contains(.readsMemory), isEnabled, let memory else { return found }
        var image: ImageMemoryCache.CachedImage?
        if hop.load.decoding != nil {
            image = memory.cache.value(for: hop.imageKey)
            found.cachedImage = image
        }
        if image == nil, retainsEncodedData {
            // The encoded bytes of another variant.
            image = memory.encodedImage(of: hop.key) { entry in
                guard let stored = entry.response?.vary, !stored.isEmpty else { return true }
                return hop.varying(stored.map(\.name)).inNameOrder == stored.inNameOrder
            }
            found.content = image?.content.bytes
        }
        guard let image else { return found }
        found.isInMemory = true
        found.entry = image.entry
        found.isPurged = image.ticket != nil && image.ticket != found.generations.disk
        found.revision = found.isPurged ? nil : image.revision
        return found
    }

    /// The entry of the image in memory for a request; nil for none. Does not count as a use of the image for the
    /// eviction order.
    func peek(_ hop: LoadHop) -> CacheEntry? {
        guard hop.load.layers.contains(.readsMemory), isEnabled else { return nil }
        return memory?.cache.peek(hop.imageKey)?.entry
    }

    /// The inputs for the freshness of an image in memory. While it is fresh, the memory cache can complete loads whose
    /// requests have no fields that affect caching. Nil when the pipeline is needed, for example because the response
    /// has `Vary`.
    private func lifespan(of cachedImage: ImageMemoryCache.CachedImage, _ entry: CacheEntry) -> Lifespan? {
        guard let response = entry.response, response.vary.isEmpty, !response.fields.contains("Vary"),
            let candidate = StoredCandidate(
                entry, request: CacheRequest(), settings: settings, now: response.responseTime),
            candidate.isSuccess,
            ContentTypeFilter(acceptedContentTypes).accepts(cachedImage, with: response.fields)
        else { return nil }
        return Lifespan(of: response, control: candidate.control, settings: settings)
    }
}
