#if Loader
internal import PlatformImage

extension ImageLoader {
    /// The picture that the caches hold for a request, fresh or not; nil for none. Nothing is ever sent.
    ///
    /// It blocks and may be called from any thread: memory takes well under a microsecond, the disk a read and a
    /// decode, for which the calling thread waits. In asynchronous code ``lookUpImage(for:layers:)`` holds no thread.
    /// A picture that the disk gives is kept in memory and its file counts as used now. Stored redirects are followed.
    ///
    /// - Parameters:
    ///   - request: Its policy decides whether what is found is fresh.
    ///   - layers: Those that are read are looked in, as far as ``ImageRequest/layers`` allows; with `memory` the disk
    ///     is never touched.
    /// - Returns: A picture whose ``LoadedImage/isFresh`` tells whether a load of this request would end with it.
    public func cachedImage(for request: ImageRequest, layers: CacheLayers = .all) -> LoadedImage? {
        let pipeline = images
        if layers.contains(.readsMemory), let image = pipeline.lookup.memory.answer(request) { return image }
        return pipeline.cachedImages.imageBlocking(load(request, layers, pipeline))
    }

    /// Looks as ``cachedImage(for:layers:)`` does, without holding the calling thread.
    public func lookUpImage(for request: ImageRequest, layers: CacheLayers = .all) async -> LoadedImage? {
        let pipeline = images
        if layers.contains(.readsMemory), let image = pipeline.lookup.memory.answer(request) { return image }
        return await pipeline.cachedImages.image(load(request, layers, pipeline))
    }

    /// True when one of the layers has a picture for the request, fresh or not, decoded as the request says in memory.
    ///
    /// It blocks for a few system calls when it asks the disk, where the body is neither read nor verified; no access
    /// is noted in either layer.
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
#endif
