/// Source crop, result size and filter of one resampling operation.
struct ResampleRequest: Hashable, Sendable {
    /// Size of the source in pixels, 1 to ``maxSide``.
    var sourceWidth, sourceHeight: Int
    /// The crop in source pixels from the top left corner, inside the source; may be fractional.
    var cropX, cropY, cropWidth, cropHeight: Double
    /// Size of the result in pixels, 1 to ``maxSide``.
    var width, height: Int
    var filter: ResampleFilter
    /// True when every source pixel has alpha 255. If it is true and a pixel has another alpha, the result is wrong.
    var isOpaque: Bool
    /// True to resample in linear light, false to resample sRGB values.
    var linearLight: Bool

    static let maxSide = ThumbnailOptions.maxSide

    /// A request for the complete image, not assumed to be opaque, in sRGB values.
    init(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int, filter: ResampleFilter) {
        self.sourceWidth = sourceWidth
        self.sourceHeight = sourceHeight
        (cropX, cropY) = (0, 0)
        (cropWidth, cropHeight) = (Double(sourceWidth), Double(sourceHeight))
        self.width = width
        self.height = height
        self.filter = filter
        isOpaque = false
        linearLight = false
    }

    /// An upper estimate of the work of a valid request, in the unit of ``DecodeLimits/maxWork``.
    var work: Int {
        3 * (Int(cropWidth) + width) * Int(cropHeight) + 6 * width * height
    }

    /// True when all sizes are in range and the crop is inside the source.
    var isValid: Bool {
        let sides = 1...Self.maxSide
        // A NaN fails each comparison.
        return sides.contains(sourceWidth) && sides.contains(sourceHeight) && sides.contains(width)
            && sides.contains(height) && cropX >= 0 && cropY >= 0 && cropWidth > 0 && cropHeight > 0
            && cropX + cropWidth <= Double(sourceWidth) && cropY + cropHeight <= Double(sourceHeight)
    }
}
