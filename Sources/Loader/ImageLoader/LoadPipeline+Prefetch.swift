internal import PlatformImage

extension LoadPipeline {
    /// Loads an image into the caches.
    ///
    /// - Returns: False when a fresh image was already in the cache layer `destination`.
    func prefetch(
        _ request: ImageRequest, to destination: Prefetch.Destination, _ priority: PriorityCell
    ) async throws(LoadError) -> Bool {
        if destination == .memory, settings.cacheImagesInMemory, request.layers.contains(.writesMemory) {
            var load = Load(request, self)
            load.follow(priority)
            let loaded = try await run(load)
            return loaded.source != .memory || !loaded.isFresh
        }
        guard disk != nil, request.layers.contains(.writesDisk) else {
            throw .configuration(
                "the loader or the request disables every cache that the prefetch can use: "
                    + Redaction.masked(request.url))
        }
        var load = Load(headerOf: request, self)
        load.follow(priority)
        load.layers.subtract(.memory)
        if await isFreshOnDisk(load) { return false }
        let loaded = try await run(load)
        return loaded.source != .disk || !loaded.isFresh
    }

    /// True when the load could use the stored image without a request, judged by its stored header; its body is not
    /// read.
    private func isFreshOnDisk(_ load: Load) async -> Bool {
        guard let hop = LoadHop(load, self), let entry = await lookup.disk.header(hop) else { return false }
        let decision = CacheDecision.decide(
            entry: entry, request: hop.request, settings: settings.cache, now: now)
        guard case .useStored(let stored, refresh: nil) = decision, stored.isFresh, Storability.isSuccess(stored.status)
        else { return false }
        // Without a declared content type, the type could be determined only from the body.
        return ContentTypeFilter.declared(stored.fields) != nil
            && ContentTypeFilter(load.acceptedContentTypes).rejectedType(stored.fields, prefix: []) == nil
    }
}
