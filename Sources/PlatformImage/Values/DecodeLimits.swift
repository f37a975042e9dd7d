/// Resource limits of a decode, checked against header values before anything is allocated.
///
/// Every call that produces pixels applies `DecodeLimits()` unless it is given other limits; only ``unlimited`` removes
/// them all.
///
/// A property that is nil is no limit. An exceeded limit throws ``DecodeError/Code/limitExceeded`` with the property's
/// name in ``DecodeError/detail``.
public struct DecodeLimits: Hashable, Sendable {
    /// Bytes of input. Readers of files and pipes also stop at this number.
    public var maxInputBytes: Int? = 1 << 30
    /// Pixels of the width and of the height, as stored.
    public var maxSide: Int? = 65_535
    /// Pixels (width times height) of the canvas, a page or a frame, as stored.
    public var maxPixels: Int? = 100_000_000
    /// Bytes of decoder memory in total: pixels, scratch buffers and codec library.
    public var maxMemory: Int? = 512 << 20
    /// Frames decoded of one animation; frame 0 of a longer animation can still be decoded.
    public var maxFrames: Int? = 2_000
    /// Sum of the pixels of all decoded frames of one animation.
    public var maxTotalPixels: Int? = 400_000_000
    /// Scans of one JPEG.
    public var maxScans: Int? = 100
    /// JPEG component samples, summed over all scans: the cost of a file with very many scans (a scan bomb). While all
    /// scans are read before the first row is output, each libjpeg warning counts as 128 samples.
    public var maxScanSamples: Int? = 6_400_000_000
    /// TIFF image file directories that are read.
    public var maxPages: Int? = 4_096
    /// TIFF samples per pixel.
    public var maxSamplesPerPixel: Int? = 64
    /// TIFF tile width and height, in pixels.
    public var maxTileSide: Int? = 65_535
    /// Bytes of one ICC profile, EXIF block or chunk; a larger one is ignored with a warning.
    public var maxMetadataItem: Int? = 4 << 20
    /// Bytes of all metadata of one image.
    public var maxMetadataTotal: Int? = 16 << 20
    /// PNG ancillary chunks that are kept.
    public var maxChunks: Int? = 128

    /// The default limits: high enough for large photographs and scans, low enough to reject decompression bombs.
    public init() {}

    /// Limits for a service that makes thumbnails of untrusted bytes: 50 megapixels, 256 MiB, one frame.
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

    /// No limits; for trusted input only.
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
