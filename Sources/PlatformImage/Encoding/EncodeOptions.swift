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
    /// The ICC profile of the pixels, of ``ImageDecoder/keepingProfile(of:as:)``; nil for sRGB. The
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
