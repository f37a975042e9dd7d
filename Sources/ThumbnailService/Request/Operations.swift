/// Operations on an upright image, applied in the order of the properties.
///
/// The parsers omit operations that are known to have no effect: two requests that differ only in such operations have
/// equal values.
struct Operations: Hashable, Sendable {
    /// Page of a file with several images, from 1.
    var page = 1
    /// Border to remove; nil for no trim.
    var trim: Trim?
    /// The part of the image to use.
    var region = Region.full
    /// Size of the result.
    var size = SizeRule.thumbor(.init())
    /// Position of the crop when the aspect ratio changes.
    var focus = Focus()
    /// Mirrors left and right after the resize.
    var flipsHorizontally = false
    /// Mirrors top and bottom after the resize.
    var flipsVertically = false
    /// Filters to apply after the resize, in order.
    var filters: [ImageFilter] = []
}

extension Operations {
    /// Removal of a border of one colour.
    struct Trim: Hashable, Sendable {
        /// The corner whose pixel determines the colour of the border.
        enum Corner: String, Hashable, Sendable, CaseIterable {
            case topLeft = "top-left"
            case bottomRight = "bottom-right"
        }

        var corner = Corner.topLeft
        /// Maximum Euclidean distance in red, green, blue and alpha (0 to 255 each) between colours that count as
        /// equal, 0 to ``maxTolerance``.
        var tolerance = 0

        /// Distance between opaque black and opaque white, rounded up.
        static let maxTolerance = 442
    }

    /// A part of the image. The coordinates of ``box(left:top:right:bottom:)`` are pixels of the complete upright
    /// source, even after a trim; the other cases refer to the image that remains after a trim.
    enum Region: Hashable, Sendable {
        case full
        /// thumbor's manual crop: right column and bottom row are exclusive; clipped to the image, ignored when empty.
        case box(left: Int, top: Int, right: Int, bottom: Int)
        /// The largest centred square.
        case square
        /// IIIF's `x,y,w,h`: clipped to the image, an error when empty.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// IIIF's `pct:x,y,w,h`, in percent of the sides.
        case percent(x: FixedDecimal, y: FixedDecimal, width: FixedDecimal, height: FixedDecimal)
    }

    /// Position of a crop: around the boxes if there are any, otherwise by a search for salient parts when ``isSmart``
    /// is true, otherwise by alignment.
    struct Focus: Hashable, Sendable {
        enum Horizontal: String, Hashable, Sendable, CaseIterable { case left, center, right }
        enum Vertical: String, Hashable, Sendable, CaseIterable { case top, middle, bottom }

        /// A focal box in pixels of the upright source; its centre is weighted by its area.
        struct Box: Hashable, Sendable {
            var left, top, right, bottom: Int
        }

        var horizontal = Horizontal.center
        var vertical = Vertical.middle
        var isSmart = false
        var boxes: [Box] = []
    }
}

extension Operations {
    /// Removes operations that cannot change a pixel, so that requests that differ only in such operations are equal.
    ///
    /// - Parameter preservesFocus: Retains unused focal points, because the response lists them.
    mutating func removeIneffective(preservesFocus: Bool) {
        if case .box(let left, let top, let right, let bottom) = region, left >= right || top >= bottom {
            region = .full
        }
        focus.boxes.removeAll { $0.left >= $0.right || $0.top >= $0.bottom }
        guard case .thumbor(var size) = self.size else { return }
        if size.width == .proportional, size.height == .proportional { size.mode = .cover }
        let sides = [size.width, size.height]
        let hasNumber = sides.contains { if case .pixels = $0 { true } else { false } }
        size.forbidsUpscaling = size.forbidsUpscaling && hasNumber
        if case .fit(let full, _) = size.mode, size.width == size.height {
            size.mode = .fit(full: full, adaptive: false)
        }
        self.size = .thumbor(size)
        let isCut = size.mode == .cover && sides != [.proportional, .proportional]
        if !isCut, !preservesFocus { focus = Focus() }
    }
}
