/// What a file says about its picture, read without decoding pixels.
public struct ImageHeader: Hashable, Sendable {
    /// What the colour samples mean, as stored.
    public enum ColorModel: String, Sendable {
        case gray, rgb, indexed, ycbcr
        /// YCCK too.
        case cmyk
        case lab
        /// Luminance alone (LogL) too.
        case logLuv
    }

    /// Where the colours are defined, by the precedence in force: cICP, ICC, sRGB, gAMA with cHRM, nothing.
    public enum ProfileSource: String, Sendable {
        case cicp, icc, srgb, gamma, none
    }

    /// The format that was read, of an embedded picture the outer one.
    public internal(set) var format: ImageFormat
    /// Pixels in a row, as stored: before orientation, after ``DecodeOptions/scaleDenominator``.
    public internal(set) var width: Int
    /// Rows, as stored: before orientation, after ``DecodeOptions/scaleDenominator``.
    public internal(set) var height: Int
    /// How the stored picture has to be turned to be upright; `.up` when the file says nothing.
    public internal(set) var orientation: Orientation = .up
    /// 1...64, as stored; for indexed pictures the bits of an index.
    public internal(set) var bitsPerChannel: Int
    /// Samples a pixel, as stored.
    public internal(set) var channelCount: Int
    /// What the samples mean, as stored.
    public internal(set) var colorModel: ColorModel
    /// True when the file can make a pixel transparent. For GIF and RLE bitmaps also when pixels may be left out.
    public internal(set) var hasAlpha: Bool
    /// Frames of an animation or pages of a TIFF; nil when that is not known without a full read.
    public internal(set) var frameCount: Int?
    /// How often an animation plays, 0 for ever; nil when the file does not say (once).
    public internal(set) var loopCount: Int?
    /// Progressive JPEG, interlaced PNG or GIF: not decodable row by row.
    public internal(set) var isProgressive: Bool = false
    /// Where the colours are defined; `.none` acts as sRGB.
    public internal(set) var profileSource: ProfileSource = .none
    /// The description in the embedded ICC profile; nil without a profile, `""` when it has none.
    ///
    /// Read by `ImageDecoder.header(of:)` alone; nil in the header of a decoded picture.
    public internal(set) var iccProfileDescription: String?
    /// Bytes of the embedded ICC profile, uncompressed; 0 for none.
    public internal(set) var iccProfileByteCount: Int = 0
    /// Where the EXIF block lies in the input, from its TIFF header on; nil for none.
    public internal(set) var exifRange: Range<Int>?
    /// An upper estimate of the bytes that a decode needs besides its pixels.
    public internal(set) var workByteCount: Int = 0
    /// Oddities met so far.
    public internal(set) var warnings: [DecodeWarning] = []
    /// The declared content type, when one was given that says something.
    public internal(set) var declaredContentType: ContentType?

    /// Pixels in a row when upright: `height` for orientations that turn by a quarter.
    public var displayWidth: Int { orientation.swapsSides ? height : width }
    /// Rows when upright.
    public var displayHeight: Int { orientation.swapsSides ? width : height }
    /// Bytes of the decoded bitmap: `width * height * 4`; `Int.max` when that many cannot be counted.
    public var decodedByteCount: Int {
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        let (bytes, alsoOverflows) = pixels.multipliedReportingOverflow(by: 4)
        return overflows || alsoOverflows ? Int.max : bytes
    }
    /// False when a declared content type names another format than the signature.
    public var matchesDeclaredContentType: Bool {
        guard let declaredContentType, let declared = ImageFormat(declaredContentType) else { return true }
        return declared == format
    }
}
