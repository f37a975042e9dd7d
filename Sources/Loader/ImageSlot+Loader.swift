#if Loader
public import PlatformImage

extension ImageLoader: ImageSlotSource {
    /// The picture in memory that answers the request for good, by the loader's policy; nil for none. Never waits, for
    /// no disk either, and sends nothing.
    public func freshImageInMemory(for request: ImageRequest) -> PlatformImage? {
        let pipeline = images
        guard request.layers.contains(.readsMemory), pipeline.configuration.cacheImagesInMemory,
            let hop = LoadHop(Load(request, pipeline), pipeline),
            let picture = pipeline.memory?.cache.value(for: hop.imageKey)
        else { return nil }
        var found = FoundEntry(moments: pipeline.moments)
        found.picture = picture
        found.entry = picture.entry
        // A purge of the disk ends the freshness of what came from there.
        guard picture.ticket == nil || picture.ticket == found.moments.disk,
            case .answer(let answer, refresh: nil) = pipeline.decide(hop, found), answer.isFresh
        else { return nil }
        return picture.content.image?.bitmap
    }
}
#endif
