import PlatformImage

/// Cost of a result with all frames of an animated source, known before the decode.
struct AnimationCost {
    /// False when the frames exceed a limit; the result then has one frame.
    let isAllowed: Bool
    /// Upper estimate of the memory for the canvas of the source and all frames of the result in bytes.
    let byteCount: Int

    /// - Parameters:
    ///   - header: Header of the source with its frame count.
    ///   - limits: Limits on frames and pixels of the source.
    ///   - rules: Limits on pixels and filter work of all frames of the result together; nil allows no animation.
    init(_ header: ImageHeader, _ plan: RenderPlan, _ limits: DecodeLimits, _ rules: SizeRules?) {
        let frames = max(1, header.frameCount ?? 1)
        let canvas = header.width.multipliedClamped(by: header.height)
        let resultPixels = frames.multipliedClamped(by: Self.largestFrame(plan))
        isAllowed =
            frames <= limits.maxFrames ?? .max
            && frames.multipliedClamped(by: canvas) <= limits.maxTotalPixels ?? .max
            && resultPixels <= rules?.maxPixels ?? 0
            && frames.multipliedClamped(by: plan.filterWork) <= rules?.maxFilterWork ?? 0
        // The canvas, its copy for frames that restore it, and the composed frame have 4 bytes per pixel. A frame of
        // the result has 4; its part that differs from the frame before, and its encoded bytes, have at most 4 each. Of
        // a source with a palette, two files can be encoded.
        let perPixel = header.colorModel == .indexed ? 16 : 12
        byteCount = canvas.multipliedClamped(by: 12).addingClamped(resultPixels.multipliedClamped(by: perPixel))
    }

    private static func largestFrame(_ plan: RenderPlan) -> Int {
        max(plan.width.multipliedClamped(by: plan.height), plan.resultWidth.multipliedClamped(by: plan.resultHeight))
    }
}

extension Int {
    /// The product of two sizes, clamped to `Int.max`.
    func multipliedClamped(by other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}

extension ResultFormat {
    var isAnimation: Bool {
        if case .animation = self { true } else { false }
    }

    /// Upper estimate of the memory of the encoder in bytes.
    ///
    /// - Parameters:
    ///   - width, height: Size of the result in pixels.
    ///   - hasAlpha: True when pixels may be transparent.
    ///   - comparesLosslessWebP: True when a WebP may be encoded without loss too.
    ///   - searches: True when further formats may be encoded and decoded.
    func encoderByteCount(
        width: Int, height: Int, hasAlpha: Bool, comparesLosslessWebP: Bool, searches: Bool
    ) -> Int {
        let formats: [EncodedFormat] =
            switch self {
            case .still(let format): [format]
            case .byOpacity(let opaque, let transparent): [opaque, transparent]
            case .animation(let format): [format.encoded]
            }
        let pixels = width.multipliedClamped(by: height)
        // A search may encode every format. It holds a decoded file, its luma samples and two encoded files.
        let all = searches ? formats + [.webp] : formats
        let sizes = all.map {
            $0.encoderByteCount(
                width: width, height: height, hasAlpha: hasAlpha, comparesLosslessWebP: comparesLosslessWebP)
        }
        let largest = sizes.max() ?? 0
        return largest.addingClamped(pixels.multipliedClamped(by: searches ? 16 : isAnimation ? 12 : 0))
    }
}

extension EncodedFormat {
    /// Upper estimate of the encoder's memory in bytes. JPEG coefficients take 3 bytes per pixel, or 6 without chroma
    /// subsampling; the rows of a PNG take 4 before compression and 4 after it; the indices and the encoded bytes of a
    /// GIF take 4, and its histogram does not depend on the size.
    fileprivate func encoderByteCount(
        width: Int, height: Int, hasAlpha: Bool, comparesLosslessWebP: Bool
    ) -> Int {
        let pixels = width.multipliedClamped(by: height)
        switch self {
        case .webp where isAvailable:
            var encoder = ImageEncoder()
            encoder.options.webp.usesLosslessUnlessLarger = comparesLosslessWebP
            return encoder.workBytes(width: width, height: height, hasAlpha: hasAlpha, as: self)
        case .gif: return pixels.multipliedClamped(by: 8).addingClamped(4 << 20)
        default: return pixels.multipliedClamped(by: 8).addingClamped(256 << 10)
        }
    }
}
