/// What to make of which part of a picture.
struct ResampleRequest: Hashable, Sendable {
    /// Pixels, 1 to ``maxSide``.
    var sourceWidth, sourceHeight: Int
    /// Pixels from the top left corner; the crop lies inside the source, not always on whole pixels.
    var cropX, cropY, cropWidth, cropHeight: Double
    /// Pixels of the result, 1 to ``maxSide``.
    var width, height: Int
    var filter: ResampleFilter
    /// Every source pixel has alpha 255; the result is wrong where one has not.
    var isOpaque: Bool
    /// Weighs amounts of light, not sRGB values.
    var weighsLight: Bool

    static let maxSide = ThumbnailOptions.maxSide

    /// The whole picture, not taken to be opaque, sRGB values weighed as they are.
    init(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int, filter: ResampleFilter) {
        self.sourceWidth = sourceWidth
        self.sourceHeight = sourceHeight
        (cropX, cropY) = (0, 0)
        (cropWidth, cropHeight) = (Double(sourceWidth), Double(sourceHeight))
        self.width = width
        self.height = height
        self.filter = filter
        isOpaque = false
        weighsLight = false
    }

    /// True when all sizes are in range and the crop lies inside the source.
    var isValid: Bool {
        let sides = 1...Self.maxSide
        // A NaN fails each comparison.
        return sides.contains(sourceWidth) && sides.contains(sourceHeight) && sides.contains(width)
            && sides.contains(height) && cropX >= 0 && cropY >= 0 && cropWidth > 0 && cropHeight > 0
            && cropX + cropWidth <= Double(sourceWidth) && cropY + cropHeight <= Double(sourceHeight)
    }
}
