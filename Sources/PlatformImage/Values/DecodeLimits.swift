/// What a decode may cost; checked on header numbers before anything is allocated.
///
/// One rule for every call that makes pixels: without other limits it has `DecodeLimits()`, and no call is unlimited
/// unless its caller writes ``unlimited``.
///
/// Nil means no limit. A limit that is exceeded throws ``DecodeError/Code/limitExceeded`` with the property's name in
/// ``DecodeError/detail``.
public struct DecodeLimits: Hashable, Sendable {
    /// Bytes of input. A reader of files or pipes stops here too.
    public var maxInputBytes: Int? = 1 << 30
    /// Pixels in width and in height, as stored.
    public var maxSide: Int? = 65_535
    /// Pixels of the canvas, a page or a frame, as stored.
    public var maxPixels: Int? = 100_000_000
    /// Bytes of decoder memory in all: pixels, scratch and library.
    public var maxMemory: Int? = 512 << 20
    /// Frames of an animation that are decoded; frame 0 of a longer one is still to be had.
    public var maxFrames: Int? = 2_000
    /// Pixels summed over the frames of an animation that are decoded.
    public var maxTotalPixels: Int? = 400_000_000
    /// JPEG scans.
    public var maxScans: Int? = 100
    /// JPEG component samples visited, summed over scans: what a scan bomb costs. While all scans of a file are read
    /// before the first row, a warning of libjpeg counts as 128 samples.
    public var maxScanSamples: Int? = 6_400_000_000
    /// TIFF image file directories walked.
    public var maxPages: Int? = 4_096
    /// TIFF samples a pixel.
    public var maxSamplesPerPixel: Int? = 64
    /// TIFF tile width and height, in pixels.
    public var maxTileSide: Int? = 65_535
    /// Bytes of one ICC profile, EXIF block or chunk; a larger one is ignored with a warning.
    public var maxMetadataItem: Int? = 4 << 20
    /// Bytes of all metadata of one picture.
    public var maxMetadataTotal: Int? = 16 << 20
    /// PNG ancillary chunks kept.
    public var maxChunks: Int? = 128

    /// The defaults: a large photograph or a scan passes, a bomb does not.
    public init() {}

    /// For a service that makes thumbnails of bytes it does not trust: 50 megapixels, 256 MiB, one frame.
    public static var thumbnailService: Self {
        var limits = Self()
        limits.maxPixels = 50_000_000
        limits.maxMemory = 256 << 20
        limits.maxFrames = 1
        limits.maxTotalPixels = 50_000_000
        limits.maxScanSamples = 3_200_000_000
        limits.maxPages = 16
        return limits
    }

    /// No limit at all, for input that is trusted.
    public static var unlimited: Self {
        var limits = Self()
        limits.maxInputBytes = nil
        limits.maxSide = nil
        limits.maxPixels = nil
        limits.maxMemory = nil
        limits.maxFrames = nil
        limits.maxTotalPixels = nil
        limits.maxScans = nil
        limits.maxScanSamples = nil
        limits.maxPages = nil
        limits.maxSamplesPerPixel = nil
        limits.maxTileSide = nil
        limits.maxMetadataItem = nil
        limits.maxMetadataTotal = nil
        limits.maxChunks = nil
        return limits
    }
}

extension DecodeLimits: CustomStringConvertible {
    /// The limits that differ from the defaults, in one line.
    public var description: String {
        let other = DecodeLimits()
        var text = ChangedProperties(of: "DecodeLimits")
        text.add("maxInputBytes", maxInputBytes, default: other.maxInputBytes)
        text.add("maxSide", maxSide, default: other.maxSide)
        text.add("maxPixels", maxPixels, default: other.maxPixels)
        text.add("maxMemory", maxMemory, default: other.maxMemory)
        text.add("maxFrames", maxFrames, default: other.maxFrames)
        text.add("maxTotalPixels", maxTotalPixels, default: other.maxTotalPixels)
        text.add("maxScans", maxScans, default: other.maxScans)
        text.add("maxScanSamples", maxScanSamples, default: other.maxScanSamples)
        text.add("maxPages", maxPages, default: other.maxPages)
        text.add("maxSamplesPerPixel", maxSamplesPerPixel, default: other.maxSamplesPerPixel)
        text.add("maxTileSide", maxTileSide, default: other.maxTileSide)
        text.add("maxMetadataItem", maxMetadataItem, default: other.maxMetadataItem)
        text.add("maxMetadataTotal", maxMetadataTotal, default: other.maxMetadataTotal)
        text.add("maxChunks", maxChunks, default: other.maxChunks)
        return text.text
    }
}
