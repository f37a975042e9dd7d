#if Loader
/// Where a slot's pictures come from: a loader.
public protocol ImageSlotSource: Sendable {
    /// The picture that these layers hold for the request, fresh or not; nil for none. Never blocks for memory alone.
    func cachedImage(for request: ImageRequest, layers: CacheLayers) -> LoadedImage?
    /// A load of the request.
    func events(for request: ImageRequest) -> LoadEventStream
}

extension ImageLoader: ImageSlotSource {}
#endif
