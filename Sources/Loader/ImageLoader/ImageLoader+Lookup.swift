internal import PlatformImage

extension ImageLoader {
    /// The cached image of a request, fresh or stale; nil when there is none. Blocks; no request is sent.
    ///
    /// It blocks the calling thread and may be called from any thread: a memory hit takes well under a microsecond, a
    /// disk hit one read and one decode. In asynchronous code use ``lookUpImage(for:layers:)``. An image from disk is
    /// added to memory, and its file counts as used. Stored redirects are followed.
    ///
    /// - Parameters:
    ///   - request: Its policy decides whether the cached image is fresh.
    ///   - layers: Layers to read, limited to those of ``ImageRequest/layers``; with `memory` the disk is not accessed.
    /// - Returns: The image; its ``LoadedImage/isFresh`` is true when a load of this request would return it as the
    ///   result.
    public func lookUpImageBlocking(for request: ImageRequest, layers: CacheLayers = .all) -> LoadedImage? {
        let pipeline = images
        if layers.contains(.readsMemory), let image = pipeline.lookup.memory.image(for: request) { return image }
        return pipeline.cachedImages.imageBlocking(load(request, layers, pipeline))
    }

    /// Equivalent to ``lookUpImageBlocking(for:layers:)``; the name comes from the original design. Blocks the calling
    /// thread unless `layers` is `memory`.
    public func cachedImage(for request: ImageRequest, layers: CacheLayers = .all) -> LoadedImage? {
        lookUpImageBlocking(for: request, layers: layers)
    }

    /// As ``lookUpImageBlocking(for:layers:)``, without blocking the calling thread.
    public func lookUpImage(for request: ImageRequest, layers: CacheLayers = .all) async -> LoadedImage? {
        let pipeline = images
        if layers.contains(.readsMemory), let image = pipeline.lookup.memory.image(for: request) { return image }
        return await pipeline.cachedImages.image(load(request, layers, pipeline))
    }

    /// True when one of the layers has an image for the request, fresh or stale; in memory it must be decoded with the
    /// options of the request.
    ///
    /// It blocks for a few system calls when it checks the disk. The body is neither read nor verified, and neither
    /// layer counts this as a use.
    public func contains(_ request: ImageRequest, layers: CacheLayers = .all) -> Bool {
        let pipeline = images
        return pipeline.cachedImages.contains(load(request, layers, pipeline))
    }

    private func load(_ request: ImageRequest, _ layers: CacheLayers, _ pipeline: LoadPipeline) -> Load {
        var load = Load(request, pipeline)
        load.layers.formIntersection(layers)
        return load
    }
}
