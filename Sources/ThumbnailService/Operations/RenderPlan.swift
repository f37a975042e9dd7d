#if Service
import PlatformImage

/// What the renderer does with one source of known size: nothing is left to calculate. In order: take ``crop`` of the
/// upright source, resample it to exactly ``width`` x ``height``, flip, then ``steps``, then encode as ``output`` says.
struct RenderPlan: Hashable, Sendable {
    /// Pixels of the upright source.
    var sourceWidth, sourceHeight: Int
    /// The part that trim and region leave, inside the source.
    var region: PixelRectangle
    /// The part that is resampled, whole pixels, inside ``region``.
    var crop: PixelRectangle
    /// True when a search may move ``crop``, without changing its size, inside ``region``.
    var isCropSearched: Bool
    /// Pixels of the resampled part, at least 1 each; smaller, larger or of another aspect ratio than ``crop``.
    var width, height: Int
    /// Mirrors the columns.
    var flipsHorizontally: Bool
    /// Mirrors the rows.
    var flipsVertically: Bool
    var steps: [RenderStep]
    /// Pixels of the result, after all steps.
    var resultWidth, resultHeight: Int
    var output: OutputWish
    /// The middles of the focal boxes, or the alignment, that placed the crop, in pixels of ``region``.
    var focalPoints: [FocalPoint]
}

/// A weighted place of a picture.
struct FocalPoint: Hashable, Sendable {
    /// Pixels from the left and the top edge.
    var x, y: Int
    /// At least 1.
    var weight: Int
    /// Pixels of the box that it is the middle of; 1 each for an alignment.
    var width, height: Int
    /// True for the place that an alignment says.
    var isAlignment = false
}

/// One step after resample and flips, with every size worked out.
enum RenderStep: Hashable, Sendable {
    /// To exactly this size.
    case resize(width: Int, height: Int)
    /// Clockwise, 1 to 3.
    case rotate(quarterTurns: Int)
    case fill(Canvas)
    case filter(PixelFilter)

    /// A canvas on which the picture so far is laid.
    struct Canvas: Hashable, Sendable {
        var color: FillColor
        /// Pixels of the canvas, at least 1 each.
        var width, height: Int
        /// Where the picture's top left pixel comes to lie; below 0 when the picture is larger and is cut.
        var left, top: Int
        /// False: the picture replaces what is under it, its transparent pixels too. True: the colour shows through.
        var blendsTransparency: Bool
    }
}

extension ThumbnailRequest {
    /// `region/size/rotation/quality.format` as the API's canonical form has it (section 4.7), for the `Link` header;
    /// nil for what is no request of IIIF.
    func canonicalIIIF(_ plan: RenderPlan) -> String? {
        guard case .iiif = operations.size, let suffix = output.format?.iiifSuffix else { return nil }
        let region = plan.region
        let isWhole = region.width == plan.sourceWidth && region.height == plan.sourceHeight
        let regionText = isWhole ? "full" : "\(region.x),\(region.y),\(region.width),\(region.height)"
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
#endif
