import PlatformImage

extension ThumborSize {
    /// Sets the size and the crop of a plan whose region is set.
    ///
    /// - Returns: The box for `fill` and `upscale`.
    func apply(to plan: inout RenderPlan, focus: Operations.Focus) -> RequestBox {
        let region = plan.region
        var (boxWidth, boxHeight) = (
            requestedSide(width, of: plan.sourceWidth, region.width),
            requestedSide(height, of: plan.sourceHeight, region.height)
        )
        var target = Self.target(boxWidth, boxHeight, region)
        switch mode {
        case .fit(let isFull, let isAdaptive):
            let turns =
                region.width < region.height
                ? target.width > target.height
                : region.width > region.height && target.width < target.height
            if isAdaptive, turns {
                swap(&boxWidth, &boxHeight)
                target = (target.height, target.width)
            }
            (plan.width, plan.height) = Self.fitted(region, in: target, isFull: isFull)
            // The image can be larger than the box that it covers.
            return RequestBox(width: max(boxWidth ?? 0, plan.width), height: max(boxHeight ?? 0, plan.height))
        case .cover:
            plan.crop = Self.crop(region, to: target, around: plan.focalPoints)
            plan.isCropSearched =
                focus.isSmart && plan.focalPoints.allSatisfy(\.isAlignment) && plan.crop != region
        case .stretch: break
        }
        (plan.width, plan.height) = target
        return RequestBox(width: boxWidth, height: boxHeight)
    }

    /// Returns a requested side in pixels; nil when it follows from the other side.
    private func requestedSide(_ side: Side, of source: Int, _ region: Int) -> Int? {
        switch side {
        case .proportional: nil
        case .pixels(let pixels): forbidsUpscaling ? min(pixels, source) : pixels
        case .original: region
        }
    }

    /// Returns the box with both sides. If one side is missing, it is computed from the region's aspect ratio, rounded
    /// half to even, at least 1. If both are missing, the box has the size of the region.
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

    /// Returns the largest part of the region with the box's aspect ratio.
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

    /// Returns the start of an interval centred on the point as far as possible, rounded half to even.
    private static func start(of length: Int, in total: Int, around point: Int) -> Int {
        // The point can be far outside the image; twice its value still fits in 64 bits.
        let halves = min(max(2 * point - length, 0), 2 * (total - length))
        return halfToEven(halves, over: 2)
    }
}

extension Operations.Focus {
    /// Returns the focal points for a crop of `region`, in its pixels: the centres of the focal boxes or, if there are
    /// no focal boxes that apply to the region, the point of the alignment.
    func points(in region: PixelRectangle, of source: PixelRectangle) -> [FocalPoint] {
        let middles = boxes.compactMap { box -> FocalPoint? in
            let (width, height) = (box.right - box.left, box.bottom - box.top)
            let (x, y) = (box.left + width / 2, box.top + height / 2)
            // As in thumbor: if the region is a part of the source, points outside the region are ignored. Otherwise,
            // a point outside the source moves the crop to the nearest edge of the source.
            guard region == source || region.touches(x, y) else { return nil }
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
    /// The weighted centre, rounded down; requires at least one point.
    fileprivate var middle: (x: Int, y: Int) {
        // Weights are areas: their products with coordinates can exceed 64 bits.
        var (x, y, weight): (Int128, Int128, Int128) = (0, 0, 0)
        for point in self {
            x += Int128(point.x) * Int128(point.weight)
            y += Int128(point.y) * Int128(point.weight)
            weight += Int128(point.weight)
        }
        return weight > 0 ? (Int(x / weight), Int(y / weight)) : (0, 0)
    }
}

/// Returns `dividend / divisor` rounded half to even; `dividend` is at least 0, `divisor` at least 1.
private func halfToEven(_ dividend: Int, over divisor: Int) -> Int {
    let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
    let roundsUp = 2 * rest == divisor ? quotient % 2 != 0 : 2 * rest > divisor
    return quotient + (roundsUp ? 1 : 0)
}

/// Returns `dividend / divisor` rounded half up; `dividend` is at least 0, `divisor` at least 1.
private func halfUp(_ dividend: Int, over divisor: Int) -> Int {
    let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
    return quotient + (2 * rest >= divisor ? 1 : 0)
}
