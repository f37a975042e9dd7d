/// Resource limits of a decode, checked against header values before anything is allocated.
///
/// Every call that produces pixels applies `DecodeLimits()` unless the caller passes other limits; only ``unlimited``
/// removes all limits.
///
/// A property that is nil sets no limit. An exceeded limit throws ``DecodeError/Code/limitExceeded`` with the name of
/// the property in ``DecodeError/detail``. Exceptions are ``maxMetadataItem``, ``maxMetadataTotal`` and ``maxChunks``:
/// metadata over these limits is ignored with a warning.
public struct DecodeLimits: Hashable, Sendable {
    /// Maximum size of the input in bytes. Readers of files and pipes stop at this size.
    public var maxInputBytes: Int? = 1 << 30
    /// Maximum width and maximum height in pixels, as stored.
    public var maxSide: Int? = 65_535
    /// Maximum number of pixels (width times height) of the canvas, of a page and of a frame, as stored.
    public var maxPixels: Int? = 100_000_000
    /// Maximum memory of a decode in bytes: pixels, temporary buffers and codec library together.
    public var maxMemory: Int? = 512 << 20
    /// Maximum number of frames of one animation that are decoded. The file may contain more frames; decoding the first
    /// frame above this number throws.
    public var maxFrames: Int? = 2_000
    /// Maximum sum of the pixels of all decoded frames of one animation; each frame counts as one canvas.
    public var maxTotalPixels: Int? = 400_000_000
    /// Maximum number of scans of one JPEG.
    public var maxScans: Int? = 100
    /// Maximum number of JPEG component samples, summed over all scans, against files with very many scans (scan
    /// bombs). For files whose scans are all read before the first row is output, each libjpeg warning counts as 128
    /// samples.
    public var maxScanSamples: Int? = 6_400_000_000
    /// Maximum number of TIFF image file directories (pages) that are read.
    public var maxPages: Int? = 4_096
    /// Maximum number of TIFF samples per pixel.
    public var maxSamplesPerPixel: Int? = 64
    /// Maximum width and maximum height of a TIFF tile in pixels.
    public var maxTileSide: Int? = 65_535
    /// Maximum size in bytes of one ICC profile, EXIF block or PNG chunk; a larger item is ignored with a warning.
    public var maxMetadataItem: Int? = 4 << 20
    /// Maximum size in bytes of all metadata of one image.
    public var maxMetadataTotal: Int? = 16 << 20
    /// Maximum number of PNG ancillary chunks that are read.
    public var maxChunks: Int? = 128
    /// Maximum work of one file, estimated as nanoseconds of one core at 3 GHz: reading its header, counting its
    /// frames, decoding, resampling and converting colours.
    ///
    /// The work is that of one call, or of all calls of one ``ImageFrames``. It is an upper estimate from the sizes in
    /// the file and from the loops that the file controls, with weights measured per format; it does not depend on the
    /// clock, so a file is accepted or rejected on every machine alike. Where the header determines the work, a file is
    /// rejected before its pixels are decoded. Sizes and memory have limits of their own; this limit bounds files that
    /// stay below them, for example many scans, many frames, or codes that represent pixels without data.
    public var maxWork: Int? = 20_000_000_000

    /// The default limits: high enough for large photographs and scans, low enough to reject decompression bombs.
    public init() {}

    /// Limits for a service that makes thumbnails of untrusted bytes: 50 megapixels, 256 MiB, one frame, 16 pages, half
    /// of the default ``maxScanSamples``, a ``maxWork`` of two seconds.
    public static var thumbnailService: Self {
        var limits = Self()
        limits.maxPixels = 50_000_000
        limits.maxMemory = 256 << 20
        limits.maxFrames = 1
        limits.maxTotalPixels = 50_000_000
        limits.maxScanSamples = 3_200_000_000
        limits.maxPages = 16
        limits.maxWork = 2_000_000_000
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
        limits.maxWork = nil
        return limits
    }
}

extension DecodeLimits {
    /// Checks a bitmap that is not the result of a decode: `maxSide`, `maxPixels` and `maxMemory` apply.
    ///
    /// - Parameter scratchByteCount: Bytes of temporary buffers, 0 or more, which count towards `maxMemory`.
    /// - Throws: `limitExceeded`.
    func checkBitmap(width: Int, height: Int, scratchByteCount: Int = 0) throws(DecodeError) {
        if let limit = maxSide, max(width, height) > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxSide",
                "\(width) x \(height) pixels: a side exceeds the limit of \(limit) pixels")
        }
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        if let limit = maxPixels, overflows || pixels > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxPixels", "\(width) x \(height) pixels exceed the limit of \(limit) pixels")
        }
        if let limit = maxMemory, overflows || pixels > (limit - scratchByteCount) / 4 {
            let scratch = scratchByteCount == 0 ? "" : " and \(scratchByteCount) bytes of temporary buffers"
            throw DecodeError(
                .limitExceeded, detail: "maxMemory",
                "\(width) x \(height) pixels of 4 bytes\(scratch) exceed the limit of \(limit) bytes")
        }
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
        text.add("maxWork", maxWork, default: other.maxWork)
        return text.text
    }
}
