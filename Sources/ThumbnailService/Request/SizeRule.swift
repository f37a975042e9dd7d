#if Service
/// How large the region becomes, before the source is known.
enum SizeRule: Hashable, Sendable {
    case thumbor(ThumborSize)
    case iiif(IIIFSize)
}

/// `WxH` with what stands before it and the filters that steer it.
struct ThumborSize: Hashable, Sendable {
    /// One of the two numbers.
    enum Side: Hashable, Sendable {
        /// Absent or 0: follows from the other by the aspect ratio.
        case proportional
        /// At least 1.
        case pixels(Int)
        /// As long as the source's.
        case original
    }

    enum Mode: Hashable, Sendable {
        /// Exactly the box, cut where the aspect ratio differs.
        case cover
        /// Exactly the box, distorted where the aspect ratio differs.
        case stretch
        /// Inside the box, never enlarged; `full` as small as covers the box, enlarged where needed. `adaptive` turns
        /// the box when it lies where the picture stands.
        case fit(full: Bool, adaptive: Bool)
    }

    var mode = Mode.cover
    var width = Side.proportional
    var height = Side.proportional
    /// No side of the box is longer than the whole source's.
    var forbidsUpscaling = false
}

/// The size of a IIIF request.
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
#endif
