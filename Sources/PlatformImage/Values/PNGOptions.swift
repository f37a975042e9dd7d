/// Options of the PNG encoder. All of them preserve every sample, including colour under alpha 0.
public struct PNGOptions: Hashable, Sendable {
    /// zlib compression level: 0 stores without compression, 1 is the fastest, 9 gives the smallest file (2 to 10 %
    /// smaller than level 6, but takes 3 to 40 times as long).
    ///
    /// With other values encoding a PNG throws `invalidArgument`.
    public var compressionLevel = 6
    /// Row filter applied before compression.
    public var filter = PNGFilter.automatic
    /// When true, selects the lossless colour type with the fewest bytes before compression: gray or a palette (1, 2, 4
    /// or 8 bits), gray with alpha, RGB, or RGBA. When false, every file is 8-bit RGBA.
    public var reducesColors = true
    /// When true, writes an sRGB chunk (13 bytes). Viewers display a PNG without colour chunks as sRGB too.
    public var declaresSRGB = false
    /// When true, never selects a gray colour type, which a PNG with an RGB profile must not have.
    var avoidsGray = false

    /// Level 6, automatic filters, the smallest colour type, no sRGB chunk.
    public init() {}
}

/// A filter of PNG rows (PNG specification, section 9).
public enum PNGFilter: String, CaseIterable, Sendable {
    /// Rows are not filtered.
    case none
    /// Difference from the pixel on the left.
    case sub
    /// Difference from the pixel above.
    case up
    /// Difference from the mean of the left and the upper pixel.
    case average
    /// Difference from the Paeth predictor of the left, upper and upper left pixels.
    case paeth
    /// For each row, the filter whose output has the smallest sum of absolute values.
    case adaptive
    /// `none` for palettes and gray of fewer than 8 bits; otherwise `adaptive`. If `adaptive` would be used and at
    /// least half of the pixels are equal to their left neighbours, the image is compressed twice, with `none` and with
    /// `adaptive`, and the smaller result is used.
    case automatic
}

extension PNGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = PNGOptions()
        var text = ChangedProperties(of: "PNGOptions")
        text.add("compressionLevel", compressionLevel, default: other.compressionLevel)
        text.add("filter", filter, default: other.filter)
        text.add("reducesColors", reducesColors, default: other.reducesColors)
        text.add("declaresSRGB", declaresSRGB, default: other.declaresSRGB)
        return text.text
    }
}
