#if Service
import PlatformImage

extension ThumborSize {
    /// Sets size and crop of a plan whose region is known.
    ///
    /// - Returns: What `fill` and `upscale` take as the box.
    func apply(to plan: inout RenderPlan, focus: Operations.Focus) -> RequestBox {
        let region = plan.region
        var (wide, high) = (
            asked(width, of: plan.sourceWidth, region.width), asked(height, of: plan.sourceHeight, region.height)
        )
        var target = Self.target(wide, high, region)
        switch mode {
        case .fit(let isFull, let isAdaptive):
            let turns =
                region.width < region.height
                ? target.width > target.height
                : region.width > region.height && target.width < target.height
            if isAdaptive, turns {
                swap(&wide, &high)
                target = (target.height, target.width)
            }
            (plan.width, plan.height) = Self.fitted(region, in: target, isFull: isFull)
            // The picture may be larger than the box that it covers.
            return RequestBox(width: max(wide ?? 0, plan.width), height: max(high ?? 0, plan.height))
        case .cover:
            plan.crop = Self.crop(region, to: target, around: plan.focalPoints)
            plan.isCropSearched =
                focus.isSmart && plan.focalPoints.allSatisfy(\.isAlignment) && plan.crop != region
        case .stretch: break
        }
        (plan.width, plan.height) = target
        return RequestBox(width: wide, height: high)
    }

    /// A side of the box in pixels; nil when it follows from the other.
    private func asked(_ side: Side, of source: Int, _ region: Int) -> Int? {
        switch side {
        case .proportional: nil
        case .pixels(let pixels): forbidsUpscaling ? min(pixels, source) : pixels
        case .original: region
        }
    }

    /// The box with both sides: a missing one rounds half to even, and none is 0.
    private static func target(
        _ width: Int?, _ height: Int?, _ region: PixelRectangle
    ) -> (width: Int, height: Int) {
        switch (width, height) {
        case (let width?, let height?): (width, height)
        case (let width?, nil): (width, max(1, halfToEven(width * region.height, over: region.width)))
        case (nil, let height?): (max(1, halfToEven(height * region.width, over: region.height)), height)
        case (nil, nil): (region.width, region.height)
        }
    }

    private static func fitted(
        _ region: PixelRectangle, in box: (width: Int, height: Int), isFull: Bool
    ) -> (width: Int, height: Int) {
        if !isFull, box.width >= region.width, box.height >= region.height { return (region.width, region.height) }
        let byWidth = region.width * box.height
        let byHeight = region.height * box.width
        return (isFull ? byWidth <= byHeight : byWidth >= byHeight)
            ? (box.width, max(1, halfUp(byHeight, over: region.width)))
            : (max(1, halfUp(byWidth, over: region.height)), box.height)
    }

    /// The part with the aspect ratio of the box, as large as the region has room for.
    private static func crop(
        _ region: PixelRectangle, to box: (width: Int, height: Int), around points: [FocalPoint]
    ) -> PixelRectangle {
        let (byWidth, byHeight) = (region.width * box.height, region.height * box.width)
        guard byWidth != byHeight else { return region }
        var crop = region
        if byHeight > byWidth {
            crop.height = max(1, halfToEven(byWidth, over: box.width))
        } else {
            crop.width = (byHeight + box.height - 1) / box.height
        }
        let middle = points.middle
        crop.x += start(of: crop.width, in: region.width, around: middle.x)
        crop.y += start(of: crop.height, in: region.height, around: middle.y)
        return crop
    }

    /// Where a stretch begins that has the point in its middle as far as it can; halves round to even.
    private static func start(of length: Int, in whole: Int, around point: Int) -> Int {
        // The point may lie far outside, in halves still within 64 bits.
        let halves = min(max(2 * point - length, 0), 2 * (whole - length))
        return halfToEven(halves, over: 2)
    }
}

extension Operations.Focus {
    /// What places a crop of `region`, in its pixels: the boxes that are in it, or else the alignment.
    func points(in region: PixelRectangle, of whole: PixelRectangle) -> [FocalPoint] {
        let middles = boxes.compactMap { box -> FocalPoint? in
            let (width, height) = (box.right - box.left, box.bottom - box.top)
            let (x, y) = (box.left + width / 2, box.top + height / 2)
            // thumbor: a point that a crop cuts off does not count, one outside an uncut picture pulls to its edge.
            guard region == whole || region.touches(x, y) else { return nil }
            return FocalPoint(x: x - region.x, y: y - region.y, weight: width * height, width: width, height: height)
        }
        guard middles.isEmpty else { return middles }
        let x =
            switch horizontal {
            case .left: 0;
            case .center: region.width / 2;
            case .right: region.width
            }
        let y =
            switch vertical {
            case .top: 0;
            case .middle: region.height / 2;
            case .bottom: region.height
            }
        return [FocalPoint(x: x, y: y, weight: 1, width: 1, height: 1, isAlignment: true)]
    }
}

extension [FocalPoint] {
    /// The weighted centre, rounded down; there is at least one point.
    fileprivate var middle: (x: Int, y: Int) {
        // Weights are areas: their products with a place need more than 64 bits.
        var (x, y, weight): (Int128, Int128, Int128) = (0, 0, 0)
        for point in self {
            x += Int128(point.x) * Int128(point.weight)
            y += Int128(point.y) * Int128(point.weight)
            weight += Int128(point.weight)
        }
        return weight > 0 ? (Int(x / weight), Int(y / weight)) : (0, 0)
    }
}

/// `dividend / divisor`, rounded to the nearest, halves to the even one; at least 0 over at least 1.
private func halfToEven(_ dividend: Int, over divisor: Int) -> Int {
    let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
    let isUp = 2 * rest == divisor ? quotient % 2 != 0 : 2 * rest > divisor
    return quotient + (isUp ? 1 : 0)
}

/// `dividend / divisor`, rounded to the nearest, halves upwards; at least 0 over at least 1.
private func halfUp(_ dividend: Int, over divisor: Int) -> Int {
    let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
    return quotient + (2 * rest >= divisor ? 1 : 0)
}
#endif
