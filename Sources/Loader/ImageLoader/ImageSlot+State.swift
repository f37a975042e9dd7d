#if Loader
public import PlatformImage

extension ImageSlot {
    /// What a slot shows.
    public enum State: Sendable {
        /// Nothing.
        case empty
        /// What stands in until there is a picture.
        case placeholder(PlatformImage)
        /// The origin was asked: bytes of the body so far, and in all if it said so, and what stands in meanwhile.
        case loading(received: Int, expected: Int?, placeholder: PlatformImage?)
        /// A picture. It is immediate when assigning showed it, from memory: then nothing need be faded.
        case image(PlatformImage, source: LoadSource, isFresh: Bool, isImmediate: Bool)
        /// The load failed; the stale picture that was shown before stays.
        case failed(LoadError, lastImage: PlatformImage?, placeholder: PlatformImage?)

        /// What to draw; nil for nothing.
        public var bitmap: PlatformImage? {
            switch self {
            case .empty: nil
            case .placeholder(let bitmap), .image(let bitmap, _, _, _): bitmap
            case .loading(_, _, let placeholder): placeholder
            case .failed(_, let lastImage, let placeholder): lastImage ?? placeholder
            }
        }
    }
}
#endif
