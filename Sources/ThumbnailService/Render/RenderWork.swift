import PlatformImage

/// The work of a render, estimated before it begins.
struct RenderWork {
    private let request: ThumbnailRequest
    private let header: ImageHeader
    private let format: ResultFormat
    private let comparesLosslessWebP: Bool

    /// Nanoseconds per pixel of resampling and of the steps without a radius.
    private static let pixelCost = 12
    /// Nanoseconds per pixel and unit of a filter's radius (``PixelFilter/workRadius``).
    private static let filterCost = 2

    /// - Parameter comparesLosslessWebP: True when a WebP is encoded without loss too.
    init(
        _ request: ThumbnailRequest, _ header: ImageHeader, _ format: ResultFormat, comparesLosslessWebP: Bool = false
    ) {
        (self.request, self.header, self.format) = (request, header, format)
        self.comparesLosslessWebP = comparesLosslessWebP
    }

    /// An upper estimate for a plan in nanoseconds of one core at 3 GHz, the unit of ``DecodeLimits/maxWork``: decoding
    /// the frames of an animation, resampling, filters and encoding. The decoder itself limits the work of decoding.
    func nanoseconds(of plan: RenderPlan) -> Int {
        guard request.output.kind == .image else { return 0 }
        let frames = format.isAnimation ? max(1, header.frameCount ?? 1) : 1
        let (width, height) = (plan.resultWidth, plan.resultHeight)
        let pixels = max(
            plan.width.multipliedClamped(by: plan.height), width.multipliedClamped(by: height))
        let frame = pixels.multipliedClamped(by: Self.pixelCost)
            .addingClamped(plan.filterWork.multipliedClamped(by: Self.filterCost))
        return frame.multipliedClamped(by: frames)
            .addingClamped(format.isAnimation ? header.framesWork(frames) : 0)
            .addingClamped(encoding(width, height))
    }

    private func encoding(_ width: Int, _ height: Int) -> Int {
        var encoder = ImageEncoder()
        encoder.options.webp.usesLosslessUnlessLarger = comparesLosslessWebP
        switch format {
        case .still(let format): return still(format, width, height, encoder)
        case .byOpacity(let opaque, let transparent):
            return max(still(opaque, width, height, encoder), still(transparent, width, height, encoder))
        case .animation(let format):
            return encoder.work(width: width, height: height, frameCount: header.frameCount ?? 1, as: format.encoded)
        }
    }

    private func still(_ format: EncodedFormat, _ width: Int, _ height: Int, _ encoder: ImageEncoder) -> Int {
        let first = encoder.work(width: width, height: height, as: format)
        guard request.output.maxBytes != nil, format.isLossy else { return first }
        let again = ImageEncoder().work(width: width, height: height, as: format)
        return first.addingClamped(again.multipliedClamped(by: ResultEncoding.maxEncodes - 1))
    }
}

extension Renderer {
    /// True when a WebP of this render is encoded without loss too: its source has a palette, so that the lossless file
    /// is often the smaller one, and the work of both is within ``maxWork``.
    func comparesLosslessWebP(_ prepared: PreparedRender, _ plan: RenderPlan) -> Bool {
        guard prepared.header.colorModel == .indexed else { return false }
        let work = RenderWork(
            prepared.request, prepared.header, prepared.format, comparesLosslessWebP: true)
        return work.nanoseconds(of: plan) <= maxWork ?? .max
    }

    /// Refuses a render whose estimated work exceeds ``maxWork``.
    ///
    /// - Throws: `limit`.
    func checkWork(_ prepared: PreparedRender, _ plan: RenderPlan) throws(ServiceError) {
        guard let maxWork else { return }
        let work = RenderWork(prepared.request, prepared.header, prepared.format).nanoseconds(of: plan)
        guard work > maxWork else { return }
        throw ServiceError(
            .limit,
            "the estimated work of the render is \(work / 1_000_000) ms, the limit is \(maxWork / 1_000_000) ms "
                + "(limits.work)")
    }
}
