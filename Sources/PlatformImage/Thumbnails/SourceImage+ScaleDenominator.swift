extension SourceImage {
    /// The denominator n of the scale 1/n at which the file is decoded for a thumbnail: 1, 2, 4 or 8 for a JPEG, 1 or 2
    /// for an opaque lossy WebP that is not animated, 1 for every other file.
    ///
    /// At 1/2 libwebp does not interpolate the chroma, and a quarter of the pixels is resampled. The conditions are
    /// those of `scale_denominator` in `CImageCodecs/request.h`.
    ///
    /// - Parameters:
    ///   - request: The request for the file at full size.
    ///   - quality: With ``ThumbnailQuality/exact``, a WebP is decoded at full size.
    func scaleDenominator(for request: ResampleRequest, _ quality: ThumbnailQuality) -> Int {
        switch header.format {
        case .jpeg: return request.jpegScaleDenominator(for: quality)
        case .webp where header.colorModel == .ycbcr && !header.hasAlpha && !codecHeader.isAnimated:
            return quality == .exact ? 1 : min(2, request.jpegScaleDenominator(for: quality))
        default: return 1
        }
    }
}
