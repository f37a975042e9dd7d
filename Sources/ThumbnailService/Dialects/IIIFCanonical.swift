#if Service
import PlatformImage

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
