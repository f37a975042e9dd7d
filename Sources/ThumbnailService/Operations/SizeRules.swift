import PlatformImage

/// Computes a render plan from the size of the upright source, by the rules of Docs/service-rules.md 2.3 and IIIF,
/// in integer arithmetic.
struct SizeRules: Hashable, Sendable {
    /// Maximum side of the result and of every intermediate image.
    var maxSide = 8192
    /// Maximum number of pixels of the result and of every intermediate image.
    var maxPixels = 50_000_000
    /// Treats an IIIF size `!w,h` without `^` as `max` when it exceeds the region in both dimensions; false refuses
    /// such a target.
    var clampsConfinedSizes = false

    /// Maximum work of all filters of a request: the sum of pixels times radius (``PixelFilter/workRadius``).
    ///
    /// The default equals a blur of 50 million pixels with the radius ``PixelFilter/maxExactRadius``. A blur with a
    /// larger radius counts as a blur with this radius.
    var maxFilterWork = 1_000_000_000

    /// Maximum side of a source: the product of two sides, or of a side and a number of a target, fits in 64 bits.
    static let maxSourceSide = 1 << 20

    /// Computes the plan for a source of known size.
    ///
    /// - Parameters:
    ///   - sourceWidth: Width of the upright source in pixels, 1 to ``maxSourceSide``.
    ///   - sourceHeight: Height of the upright source in pixels, 1 to ``maxSourceSide``.
    ///   - trimmed: The part that remains after ``Operations/trim``, in pixels of the source; nil without a trim or
    ///     when nothing remains.
    /// - Throws: `malformed` for a size or region that IIIF forbids, `limit` for sides that are out of range, too many
    ///   pixels or too much filter work.
    func plan(
        _ operations: Operations, _ output: OutputFormatRequest, sourceWidth: Int, sourceHeight: Int,
        trimmed: PixelRectangle? = nil
    ) throws(ServiceError) -> RenderPlan {
        let sides = 1...Self.maxSourceSide
        guard sides.contains(sourceWidth), sides.contains(sourceHeight) else {
            throw ServiceError(
                .limit,
                "the source has \(sourceWidth) x \(sourceHeight) pixels, the limit is \(Self.maxSourceSide) "
                    + "pixels per side")
        }
        let sourceBounds = PixelRectangle(x: 0, y: 0, width: sourceWidth, height: sourceHeight)
        let base = trimmed.flatMap { $0.intersection(with: sourceBounds) } ?? sourceBounds
        let region = try operations.region.rectangle(in: base)

        var plan = RenderPlan(
            sourceWidth: sourceWidth, sourceHeight: sourceHeight, region: region, crop: region, isCropSearched: false,
            width: region.width, height: region.height, flipsHorizontally: operations.flipsHorizontally,
            flipsVertically: operations.flipsVertically, steps: [], resultWidth: 0, resultHeight: 0, output: output,
            focalPoints: operations.focus.points(in: region, of: sourceBounds))
        var box = RequestBox()
        switch operations.size {
        case .thumbor(let size): box = size.apply(to: &plan, focus: operations.focus)
        case .iiif(let size): (plan.width, plan.height) = try self.size(size, of: region)
        }
        try check(plan.width, plan.height)
        try addSteps(operations.filters, in: box, to: &plan)
        return plan
    }

    /// Rejects sizes that are too large for any source, before the source is fetched.
    func checkBeforeFetch(_ operations: Operations) throws(ServiceError) {
        guard case .thumbor(let size) = operations.size, !size.forbidsUpscaling else { return }
        // An image that is fitted into a large box can still be small, so it is not rejected here.
        if case .fit(full: false, _) = size.mode { return }
        guard case .pixels(let width) = size.width, case .pixels(let height) = size.height else { return }
        // An image that covers the box, in either orientation, has at least the box's shorter side in both dimensions.
        if case .fit = size.mode { return try check(min(width, height), min(width, height)) }
        try check(width, height)
    }

    /// Adds the filters as steps and tracks the size of the image from filter to filter.
    private func addSteps(
        _ filters: [ImageFilter], in box: RequestBox, to plan: inout RenderPlan
    ) throws(ServiceError) {
        var (width, height) = (plan.width, plan.height)
        var work = 0
        for filter in filters {
            switch filter {
            case .pixels(let filter):
                plan.steps.append(.filter(filter))
                work = work.addingClamped(width * height * filter.workRadius)
            case .rotate(let quarterTurns):
                if quarterTurns % 2 != 0 { swap(&width, &height) }
                plan.steps.append(.rotate(quarterTurns: quarterTurns))
            case .proportion(let factor):
                let (less, lower) = (factor.part(of: width), factor.part(of: height))
                // As in thumbor: the filter has no effect when a side would become 0.
                if less > 0, lower > 0 { resize(&plan, &width, &height, to: (less, lower)) }
            case .upscale:
                if let larger = box.enlarged(width, height) { resize(&plan, &width, &height, to: larger) }
            case .fill(let color, let blends):
                let canvas = (width: box.width ?? width, height: box.height ?? height)
                let coversCanvas = canvas == (width, height)
                guard !coversCanvas || blends else { continue }
                plan.steps.append(
                    .fill(
                        .init(
                            color: color, width: canvas.width, height: canvas.height,
                            left: (canvas.width - width) >> 1, top: (canvas.height - height) >> 1,
                            blendsTransparency: blends)))
                if color == .blur { work = work.addingClamped(width * height * PixelFilter.maxExactRadius) }
                (width, height) = canvas
            }
            try check(width, height)
            guard work <= maxFilterWork else {
                throw ServiceError(
                    .limit,
                    "the sum of pixels times radius over all filters is \(work), the limit is \(maxFilterWork)")
            }
        }
        (plan.resultWidth, plan.resultHeight) = (width, height)
        plan.filterWork = work
    }

    /// Resizes the image. A resize that directly follows the first resize is merged with it, because one resampling
    /// gives a sharper image than two.
    private func resize(
        _ plan: inout RenderPlan, _ width: inout Int, _ height: inout Int, to size: (width: Int, height: Int)
    ) {
        if plan.steps.isEmpty {
            (plan.width, plan.height) = size
        } else {
            plan.steps.append(.resize(width: size.width, height: size.height))
        }
        (width, height) = size
    }

    private func check(_ width: Int, _ height: Int) throws(ServiceError) {
        // The sides are checked first, so that their product cannot overflow.
        guard width <= maxSide, height <= maxSide, width * height <= maxPixels else {
            throw ServiceError(
                .limit,
                "the result has \(width) x \(height) pixels, the limits are \(maxSide) pixels per "
                    + "side and \(maxPixels) pixels in total")
        }
    }
}

/// The requested box `WxH` for `fill` and `upscale`; nil for a side that the target leaves open.
struct RequestBox: Hashable, Sendable {
    var width: Int?
    var height: Int?

    /// Returns the largest size inside the box with the image's aspect ratio; nil when a side of the box is nil, or
    /// when the image is already as wide or as high as the box.
    func enlarged(_ imageWidth: Int, _ imageHeight: Int) -> (width: Int, height: Int)? {
        guard let width, let height, imageWidth < width, imageHeight < height else { return nil }
        return imageWidth * height >= imageHeight * width
            ? (width, max(1, imageHeight * width / imageWidth))
            : (max(1, imageWidth * height / imageHeight), height)
    }
}

extension FixedDecimal {
    /// Returns this fraction (0 to 1) of a side, rounded down.
    fileprivate func part(of side: Int) -> Int { side * units / Self.scale }
}
