/// Requested size, before the size of the source is known.
enum SizeRule: Hashable, Sendable {
    case thumbor(ThumborSize)
    case iiif(IIIFSize)
}

/// Size of a thumbor target: `WxH` with its prefixes and the filters that affect it.
struct ThumborSize: Hashable, Sendable {
    /// One side of the box.
    enum Side: Hashable, Sendable {
        /// Absent or 0: computed from the other side by the aspect ratio.
        case proportional
        /// A number of pixels, at least 1.
        case pixels(Int)
        /// `orig`: the side of the region.
        case original
    }

    enum Mode: Hashable, Sendable {
        /// Fills the box exactly; cropped where the aspect ratio differs.
        case cover
        /// Fills the box exactly; distorted where the aspect ratio differs.
        case stretch
        /// Fits inside the box, never enlarged. With `full`, the image instead has the smallest size that covers the
        /// box, and is enlarged if needed. With `adaptive`, the sides of the box are swapped when its orientation
        /// differs from the image's.
        case fit(full: Bool, adaptive: Bool)
    }

    var mode = Mode.cover
    var width = Side.proportional
    var height = Side.proportional
    /// Limits the sides of the box to those of the complete source.
    var forbidsUpscaling = false
}

/// Size of an IIIF request.
struct IIIFSize: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case max
        case width(Int)
        case height(Int)
        case exact(width: Int, height: Int)
        case percent(FixedDecimal)
        case confined(width: Int, height: Int)
    }

    var form = Form.max
    /// `^`: the result may be larger than the region.
    var allowsUpscaling = false
}
