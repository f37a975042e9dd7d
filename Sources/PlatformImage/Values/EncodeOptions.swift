/// A file format that ``ImageEncoder`` writes.
///
/// A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum EncodedFormat: String, CaseIterable, Sendable {
    /// PNG, lossless; an animation becomes an APNG.
    case png
    /// JPEG, baseline or progressive, 8 bits.
    case jpeg
    /// WebP, lossy or lossless, still or animated. Without the trait `WebP`, which is on by default, encoding throws
    /// ``EncodeError/Code/unsupportedFormat``.
    case webp
    /// GIF with at most 256 colours per frame, still or animated.
    case gif

    /// The registered content type.
    public var contentType: ContentType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webp
        case .gif: .gif
        }
    }

    /// The usual file name extension, without a dot: `png`, `jpg`, `webp` or `gif`.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// False when this build has no encoder for the format: ``webp`` without the trait `WebP`.
    public var isAvailable: Bool {
        #if WebP
        true
        #else
        self != .webp
        #endif
    }
}

/// Options of an encoder. The defaults suit small images on a web page: compact, fast, without metadata.
public struct EncodeOptions: Hashable, Sendable {
    /// Options for PNG and APNG.
    public var png = PNGOptions()
    /// Options for JPEG.
    public var jpeg = JPEGOptions()
    /// Options for WebP.
    public var webp = WebPOptions()
    /// Options for GIF.
    public var gif = GIFOptions()
    /// Maximum file size in bytes; nil for no limit.
    ///
    /// A larger JPEG or lossy WebP is encoded again at the highest quality at which the file fits, found by binary
    /// search over the integers from 1 to ``JPEGOptions/quality`` or ``WebPOptions/quality``; a larger PNG is
    /// compressed again at level 9, a larger lossless WebP at level 8; a larger GIF is encoded again with the next
    /// lower power of two below ``GIFOptions/maxColors``: 128, 64 and so on to 2 colours, until the file fits. A file
    /// that still does not fit throws ``EncodeError/Code/overMaxBytes``. With 0 or less every call throws
    /// `invalidArgument`.
    public var maxBytes: Int?
    /// Maximum work of one encode, estimated from the size, the number of frames and the options as nanoseconds of one
    /// core at 3 GHz, as ``DecodeLimits/maxWork``; nil for no limit.
    ///
    /// The weights are measured per format; 2,000 frames of 100 x 100 pixels are estimated at 4 s as GIF, 5 s as PNG,
    /// 7 s as lossy WebP and 56 s as lossless WebP. More work throws ``EncodeError/Code/limitExceeded`` before the
    /// encode. With ``maxBytes``, each further attempt takes the estimated work again.
    public var maxWork: Int?
    /// Metadata of the source, of which the file contains what ``metadataPolicy`` keeps. A GIF contains none.
    ///
    /// A JPEG has at most 64 KiB of EXIF, XMP and IPTC each. Without space for it, EXIF is written without the maker
    /// note, or with copyright and author alone; larger XMP or IPTC is omitted. A WebP has no IPTC; its by-line and
    /// copyright notice are written as EXIF where EXIF has none. Metadata counts towards ``maxBytes``.
    public var metadata = ImageMetadata()
    /// The part of ``metadata`` that the file contains.
    public var metadataPolicy = MetadataPolicy.strip
    /// Metadata that was filtered before, which the file contains instead of that of ``metadata`` and
    /// ``metadataPolicy``; nil to filter ``metadata`` in each encode.
    ///
    /// When the request of ``PreparedMetadata`` has another size than the image, every call throws `invalidArgument`.
    public var preparedMetadata: PreparedMetadata?
    /// The ICC profile of the pixels, of ``ImageDecoder/keepingProfile(of:as:)-([UInt8],_)``; nil for sRGB. The
    /// metadata policy does not apply to it, because the file without its profile would show other colours.
    ///
    /// With a profile that is not one of RGB samples, or that has more than 16,705,815 bytes for a JPEG, and for a GIF,
    /// every call throws `invalidArgument`. A file with a profile has no gray colour type.
    public var iccProfile: [UInt8]?

    /// PNG at level 6, JPEG and lossy WebP at quality 80, no maximum file size, no metadata.
    public init() {}

    /// The earlier name of ``webp``.
    @available(*, deprecated, renamed: "webp")
    public var webP: WebPOptions {
        get { webp }
        set { webp = newValue }
    }
}

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

/// Options of the JPEG encoder.
public struct JPEGOptions: Hashable, Sendable {
    /// Quality from 1 to 100 on the scale of libjpeg; 75 to 85 is usual for photographs.
    ///
    /// With other values encoding a JPEG throws `invalidArgument`.
    public var quality = 80
    /// When true, writes a progressive JPEG: several scans from coarse to fine. Files of about 10 kB or more are a few
    /// percent smaller.
    ///
    /// The coefficients of the complete image are then in memory: 3 bytes per pixel at 4:2:0, 6 at 4:4:4.
    public var isProgressive = false
    /// Chroma resolution.
    public var chromaSubsampling = ChromaSubsampling.ratio420
    /// When true, computes Huffman tables for the image; the file is a few percent smaller. A progressive file always
    /// has such tables.
    ///
    /// When true, all coefficients are in memory as for ``isProgressive``; when false, rows are streamed.
    public var optimizesHuffman = true
    /// Colour composited under transparent pixels, white by default; its alpha is ignored.
    ///
    /// A sample c with alpha a over the background sample b becomes `round((c * a + b * (255 - a)) / 255)`.
    public var background = RGBA8(red: 255, green: 255, blue: 255)
    /// When true, writes three components also for gray pixels, because an RGB profile describes them.
    var avoidsGray = false

    /// Quality 80, 4:2:0, one scan with optimized tables, on white.
    public init() {}
}

/// Chroma resolution of a JPEG relative to luma.
public enum ChromaSubsampling: String, CaseIterable, Sendable {
    /// Half the width and half the height.
    case ratio420 = "4:2:0"
    /// Half the width.
    case ratio422 = "4:2:2"
    /// Full resolution; edges between colours remain sharp.
    case ratio444 = "4:4:4"
}

extension EncodeOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = EncodeOptions()
        var text = ChangedProperties(of: "EncodeOptions")
        text.add("png", png, default: other.png)
        text.add("jpeg", jpeg, default: other.jpeg)
        text.add("webp", webp, default: other.webp)
        text.add("gif", gif, default: other.gif)
        text.add("maxBytes", maxBytes, default: other.maxBytes)
        text.add("maxWork", maxWork, default: other.maxWork)
        text.add("metadata", text: metadata.isEmpty ? nil : metadata.summary)
        text.add("metadataPolicy", metadataPolicy, default: other.metadataPolicy)
        text.add("preparedMetadata", text: preparedMetadata?.description)
        text.add("iccProfile", text: iccProfile.map { "\($0.count) bytes" })
        return text.text
    }
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

extension JPEGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = JPEGOptions()
        var text = ChangedProperties(of: "JPEGOptions")
        text.add("quality", quality, default: other.quality)
        text.add("isProgressive", isProgressive, default: other.isProgressive)
        text.add("chromaSubsampling", chromaSubsampling, default: other.chromaSubsampling)
        text.add("optimizesHuffman", optimizesHuffman, default: other.optimizesHuffman)
        text.add("background", background, default: other.background)
        return text.text
    }
}

extension EncodeOptions {
    /// - Throws: `invalidArgument` when an option that applies to the format is out of its range, `unsupportedFormat`.
    func check(for format: EncodedFormat) throws(EncodeError) {
        if let maxBytes { try Self.check(maxBytes, "maxBytes", isIn: 1 ... .max, format) }
        guard format.isAvailable else {
            throw EncodeError(.unsupportedFormat, format: format, "\(format.rawValue): not encoded by this build")
        }
        if let iccProfile { try Self.check(iccProfile, for: format) }
        switch format {
        case .png: try Self.check(png.compressionLevel, "png.compressionLevel", isIn: 0...9, format)
        case .jpeg: try Self.check(jpeg.quality, "jpeg.quality", isIn: 1...100, format)
        case .webp: try checkWebP()
        case .gif: try Self.check(gif.maxColors, "gif.maxColors", isIn: 2...256, format)
        }
    }

    private static func check(_ profile: [UInt8], for format: EncodedFormat) throws(EncodeError) {
        let isTooLarge = format == .jpeg && profile.count > MetadataWriter.maxJPEGProfile
        if format != .gif, !isTooLarge, ColorProfile.isRGB(profile) { return }
        throw EncodeError(
            .invalidArgument, format: format,
            "iccProfile has \(profile.count) bytes, allowed: an RGB profile, for PNG, JPEG and WebP only")
    }

    private func checkWebP() throws(EncodeError) {
        try Self.check(webp.quality, "webp.quality", isIn: 1...100, .webp)
        try Self.check(webp.effectiveLosslessLevel, "webp.losslessLevel", isIn: 0...9, .webp)
        try Self.check(webp.nearLossless, "webp.nearLossless", isIn: 0...100, .webp)
        try Self.check(webp.alphaQuality, "webp.alphaQuality", isIn: 0...100, .webp)
        try Self.check(webp.keyFrameInterval ?? 0, "webp.keyFrameInterval", isIn: 0 ... .max, .webp)
    }

    private static func check(
        _ value: Int, _ name: String, isIn range: ClosedRange<Int>, _ format: EncodedFormat
    ) throws(EncodeError) {
        guard !range.contains(value) else { return }
        throw EncodeError(
            .invalidArgument, format: format, "\(name) is \(value), allowed: \(range.allowedValues)")
    }
}
