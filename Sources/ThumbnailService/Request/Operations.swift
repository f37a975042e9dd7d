#if Service
/// What is done to a picture, in the order of the properties; the source is taken upright.
///
/// Values that give equal pixels are equal: the dialects leave out what has no effect.
struct Operations: Hashable, Sendable {
    /// Which picture of a file that holds several, counted from 1.
    var page = 1
    /// Nil keeps the border.
    var trim: Trim?
    /// The part of the picture that is used.
    var region = Region.whole
    /// How large it becomes.
    var size = SizeRule.thumbor(.init())
    /// Where a cut to another aspect ratio keeps the picture.
    var focus = Focus()
    /// Mirrors the columns after the resize.
    var flipsHorizontally = false
    /// Mirrors the rows after the resize.
    var flipsVertically = false
    /// What follows, in order.
    var filters: [ImageFilter] = []
}

extension Operations {
    /// Which border of one colour goes.
    struct Trim: Hashable, Sendable {
        /// The corner whose pixel says which colour the border has.
        enum Corner: String, Hashable, Sendable, CaseIterable {
            case topLeft = "top-left"
            case bottomRight = "bottom-right"
        }

        var corner = Corner.topLeft
        /// The distance of colours, Euclidean in RGB, that still counts as equal: 0 to ``maxTolerance``.
        var tolerance = 0

        /// As far as black is from white, rounded up.
        static let maxTolerance = 442
    }

    /// A part of the picture, in upright pixels of the whole source even after a trim.
    enum Region: Hashable, Sendable {
        case whole
        /// Up to, not with, the right column and the bottom row; cut at the edges, and without effect when nothing is
        /// left: thumbor's manual crop.
        case box(left: Int, top: Int, right: Int, bottom: Int)
        /// The largest square in the middle.
        case square
        /// IIIF's `x,y,w,h`: cut at the edges, an error when nothing is left.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// IIIF's `pct:x,y,w,h`, in hundredths of the sides.
        case percent(x: FixedDecimal, y: FixedDecimal, width: FixedDecimal, height: FixedDecimal)
    }

    /// Where a cut keeps the picture: at the boxes when there are any, else where a search finds most to see, when
    /// ``isSmart``, else at the alignment.
    struct Focus: Hashable, Sendable {
        enum Horizontal: String, Hashable, Sendable, CaseIterable { case left, center, right }
        enum Vertical: String, Hashable, Sendable, CaseIterable { case top, middle, bottom }

        /// A part worth seeing, in upright pixels of the source; its middle weighs as much as its area.
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
    /// Takes out what cannot change a pixel, so that requests which must give equal bytes are equal.
    ///
    /// - Parameter keepsFocus: The answer names the focal points even where they place nothing.
    mutating func removeIneffective(keepsFocus: Bool) {
        if case .box(let left, let top, let right, let bottom) = region, left >= right || top >= bottom {
            region = .whole
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
        if !isCut, !keepsFocus { focus = Focus() }
    }
}
#endif
