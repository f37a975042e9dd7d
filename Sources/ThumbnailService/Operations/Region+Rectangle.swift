import PlatformImage

extension Operations.Region {
    /// Resolves the region within `base`: the complete image, or the part that remains after a trim.
    ///
    /// - Throws: `malformed` when an IIIF region does not intersect the image.
    func rectangle(in base: PixelRectangle) throws(ServiceError) -> PixelRectangle {
        switch self {
        case .full: return base
        case .box(let left, let top, let right, let bottom):
            return base.cut(left: left, top: top, right: right, bottom: bottom) ?? base
        case .square:
            let side = min(base.width, base.height)
            return PixelRectangle(
                x: base.x + (base.width - side) / 2, y: base.y + (base.height - side) / 2, width: side, height: side)
        case .pixels(let x, let y, let width, let height):
            return try Self.inside(base, x, y, width, height)
        case .percent(let x, let y, let width, let height):
            return try Self.inside(
                base, x.percent(of: base.width), y.percent(of: base.height), width.percent(of: base.width),
                height.percent(of: base.height))
        }
    }

    private static func inside(
        _ base: PixelRectangle, _ x: Int, _ y: Int, _ width: Int, _ height: Int
    ) throws(ServiceError) -> PixelRectangle {
        let rectangle = base.cut(
            left: base.x + x, top: base.y + y, right: base.x + x + width, bottom: base.y + y + height)
        guard let rectangle else { throw .malformed("the region does not intersect the image") }
        return rectangle
    }
}

extension PixelRectangle {
    /// Intersection with `bounds`; nil when it is empty.
    func intersection(with bounds: PixelRectangle) -> PixelRectangle? {
        let (right, overflowsWidth) = x.addingReportingOverflow(width)
        let (bottom, overflowsHeight) = y.addingReportingOverflow(height)
        return overflowsWidth || overflowsHeight ? nil : bounds.cut(left: x, top: y, right: right, bottom: bottom)
    }

    /// Intersection with the rectangle between these edges; nil when it is empty.
    fileprivate func cut(left: Int, top: Int, right: Int, bottom: Int) -> PixelRectangle? {
        let (near, far) = (max(left, x), min(right, x + width))
        let (upper, lower) = (max(top, y), min(bottom, y + height))
        guard near < far, upper < lower else { return nil }
        return PixelRectangle(x: near, y: upper, width: far - near, height: lower - upper)
    }

    /// Returns true when a point is inside or on an edge.
    func touches(_ pointX: Int, _ pointY: Int) -> Bool {
        pointX >= x && pointX - x <= width && pointY >= y && pointY - y <= height
    }
}

extension FixedDecimal {
    /// Returns this percentage of a side of at most 2²⁰ pixels, rounded half up; the percentage is at least 0.
    func percent(of side: Int) -> Int {
        // Computed in two parts, so that no product exceeds 64 bits.
        let hundredPercent = 100 * Self.scale
        return side * (units / hundredPercent) + (side * (units % hundredPercent) + hundredPercent / 2) / hundredPercent
    }
}
