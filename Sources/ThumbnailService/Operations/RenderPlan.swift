import PlatformImage

/// Complete plan of a render for a source of known size. In this order: extract ``crop`` from the upright source,
/// resample it to exactly ``width`` x ``height``, flip, apply ``steps``, then encode as ``output``.
struct RenderPlan: Hashable, Sendable {
    /// Size of the upright source in pixels.
    var sourceWidth, sourceHeight: Int
    /// The part of the source that remains after the trim and the requested region were applied.
    var region: PixelRectangle
    /// The part that is resampled, in whole pixels, inside ``region``.
    var crop: PixelRectangle
    /// True for a smart crop: a search for the best part of the image may move ``crop`` inside ``region``, without
    /// changing its size.
    var isCropSearched: Bool
    /// Size of the resampled part in pixels, at least 1 each; can be smaller, larger or of another aspect ratio than
    /// ``crop``.
    var width, height: Int
    /// Mirrors left and right.
    var flipsHorizontally: Bool
    /// Mirrors top and bottom.
    var flipsVertically: Bool
    var steps: [RenderStep]
    /// Size of the result in pixels, after all steps.
    var resultWidth, resultHeight: Int
    /// Work of all filters: the sum of pixels times radius (``PixelFilter/workRadius``).
    var filterWork = 0
    var output: OutputFormatRequest
    /// Points around which the image is cropped, in pixels of ``region``: the centres of the focal boxes or, without
    /// focal boxes, the point of the alignment.
    var focalPoints: [FocalPoint]
}

/// A weighted focal point of an image.
struct FocalPoint: Hashable, Sendable {
    /// Distance from the left and top edges in pixels.
    var x, y: Int
    /// Weight, at least 1.
    var weight: Int
    /// Size of the focal box in pixels; 1 each for an alignment.
    var width, height: Int
    /// True for a point that was derived from an alignment.
    var isAlignment = false
}

/// A step after resampling and flips, with all sizes computed.
enum RenderStep: Hashable, Sendable {
    /// Resizes to exactly this size.
    case resize(width: Int, height: Int)
    /// Rotates clockwise by 1 to 3 quarter turns.
    case rotate(quarterTurns: Int)
    case fill(Canvas)
    case filter(PixelFilter)

    /// A canvas on which the image is placed.
    struct Canvas: Hashable, Sendable {
        var color: FillColor
        /// Size of the canvas in pixels, at least 1 each.
        var width, height: Int
        /// Position of the image's top left pixel; negative when the image is larger and is cut off.
        var left, top: Int
        /// True composites the image over the canvas; false replaces the canvas pixels by those of the image, with
        /// their alpha.
        var blendsTransparency: Bool
    }
}

extension ThumbnailRequest {
    /// Canonical form `region/size/rotation/quality.format` of the IIIF Image API (section 4.7), for the `Link` header;
    /// nil when the request is not an IIIF request.
    func canonicalIIIF(_ plan: RenderPlan) -> String? {
        guard case .iiif = operations.size, let suffix = output.format?.iiifSuffix else { return nil }
        let region = plan.region
        let isFullRegion = region.width == plan.sourceWidth && region.height == plan.sourceHeight
        let regionText = isFullRegion ? "full" : "\(region.x),\(region.y),\(region.width),\(region.height)"
        var (turns, quality) = (0, "default")
        for filter in operations.filters {
            switch filter {
            case .rotate(let quarterTurns): turns = quarterTurns
            case .pixels(.grayscale): quality = "gray"
            case .pixels(.bitonal): quality = "bitonal"
            default: return nil
            }
        }
        let isEnlarged = plan.width > region.width || plan.height > region.height
        let isMax = plan.width == region.width && plan.height == region.height
        let size = isMax ? "max" : (isEnlarged ? "^" : "") + "\(plan.width),\(plan.height)"
        let rotation = (plan.flipsHorizontally ? "!" : "") + "\(turns * 90)"
        return "\(regionText)/\(size)/\(rotation)/\(quality).\(suffix)"
    }
}
