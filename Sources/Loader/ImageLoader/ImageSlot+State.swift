public import PlatformImage

extension ImageSlot {
    /// The display state of a slot.
    public enum State: Sendable {
        /// Nothing to draw.
        case empty
        /// A placeholder, until an image is available.
        case placeholder(PlatformImage)
        /// A request was sent: bytes of the body received so far, the total if the origin declared it, and the
        /// placeholder.
        case loading(received: Int, expected: Int?, placeholder: PlatformImage?)
        /// An image. `isImmediate` is true for a fresh image from memory, which the slot shows before
        /// ``ImageSlot/assign(_:placeholder:stillValid:)`` returns; it needs no fade-in. The same applies when reading
        /// ``ImageSlot/state`` or ``ImageSlot/states`` loads a released image again.
        case image(PlatformImage, source: LoadSource, isFresh: Bool, isImmediate: Bool)
        /// The load failed. `lastImage` is the image that the slot showed before; nil for none.
        case failed(LoadError, lastImage: PlatformImage?, placeholder: PlatformImage?)

        /// The bitmap to draw; nil for none.
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
