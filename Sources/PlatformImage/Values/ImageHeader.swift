/// Properties of an image file, read without decoding pixels.
public struct ImageHeader: Hashable, Sendable {
    /// The meaning of the stored samples.
    ///
    /// A minor version may add cases: a `switch` in another package needs `@unknown default`.
    @nonexhaustive
    public enum ColorModel: String, Sendable {
        case gray, rgb, indexed, ycbcr
        /// CMYK or YCCK.
        case cmyk
        case lab
        /// LogLuv, or luminance alone (LogL).
        case logLuv
    }

    /// The source of the colour definition, in order of precedence: cICP, ICC, sRGB, gAMA or cHRM, none.
    public enum ProfileSource: String, Sendable {
        case cicp, icc, srgb, gamma, none
    }

    /// The format of the file; for a BMP that contains a JPEG or a PNG, BMP.
    public internal(set) var format: ImageFormat
    /// Pixels in a row, as stored: before orientation, after ``DecodeOptions/scaleDenominator``.
    public internal(set) var width: Int
    /// Rows, as stored: before orientation, after ``DecodeOptions/scaleDenominator``.
    public internal(set) var height: Int
    /// The transformation that makes the stored image upright; `.up` when the file has no orientation.
    public internal(set) var orientation: Orientation = .up
    /// Bits per sample, 1...64, as stored; for indexed images, bits per palette index.
    public internal(set) var bitsPerChannel: Int
    /// Samples per pixel, as stored.
    public internal(set) var channelCount: Int
    /// The meaning of the samples, as stored.
    public internal(set) var colorModel: ColorModel
    /// True when the file may contain transparent pixels. For a GIF also true when pixels may be missing; for a
    /// run-length encoded BMP always true. False for a BMP with an alpha mask whose alpha values are all 0: such an
    /// image is opaque.
    public internal(set) var hasAlpha: Bool
    /// Number of frames of an animation or pages of a TIFF, with SubIFDs; nil in ``DecodedImage/header`` when counting
    /// would require an additional read of the file.
    public internal(set) var frameCount: Int?
    /// Number of plays of an animation, 0 for infinite; nil when the file does not contain the number, which means one
    /// play. The number n in the loop extension of a GIF, if it is not 0, means n + 1 plays.
    public internal(set) var loopCount: Int?
    /// True for progressive JPEG and interlaced PNG or GIF, which cannot be decoded row by row.
    public internal(set) var isProgressive: Bool = false
    /// The source of the colour definition; `.none` is treated as sRGB.
    public internal(set) var profileSource: ProfileSource = .none
    /// The description in the embedded ICC profile; nil without a profile, `""` when the profile has no description.
    ///
    /// Set only by ``ImageDecoder/header(of:as:cancellation:)``; nil in the header of a decoded image.
    public internal(set) var iccProfileDescription: String?
    /// The pages of a TIFF in the order of ``DecodeOptions/page``; empty for other formats, and when ``frameCount`` is
    /// nil.
    ///
    /// Set only by ``ImageDecoder/header(of:as:cancellation:)``; empty in the header of a decoded image.
    public internal(set) var pages: [PageInfo] = []
    /// Bytes of the embedded ICC profile, uncompressed; 0 for none.
    public internal(set) var iccProfileByteCount: Int = 0
    /// The byte range of the EXIF block in the input, starting at its TIFF header; nil for none.
    public internal(set) var exifRange: Range<Int>?
    /// An upper estimate, in bytes, of the memory that a decode needs in addition to its pixels.
    public internal(set) var workByteCount: Int = 0
    /// Warnings found while the header was read; in ``DecodedImage/header``, the warnings of the complete decode.
    public internal(set) var warnings: [DecodeWarning] = []
    /// The declared content type; nil for none or `application/octet-stream`.
    public internal(set) var declaredContentType: ContentType?

    /// Width of the upright image in pixels; equal to ``height`` when ``Orientation/swapsSides`` is true.
    public var displayWidth: Int { orientation.swapsSides ? height : width }
    /// Height of the upright image in pixels; equal to ``width`` when ``Orientation/swapsSides`` is true.
    public var displayHeight: Int { orientation.swapsSides ? width : height }
    /// Bytes of the decoded bitmap: `width * height * 4`; `Int.max` on overflow.
    public var decodedByteCount: Int {
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        let (bytes, alsoOverflows) = pixels.multipliedReportingOverflow(by: 4)
        return overflows || alsoOverflows ? Int.max : bytes
    }
    /// False when the declared content type is that of a supported format other than ``format``. True for every other
    /// type, and without a declared type.
    public var matchesDeclaredContentType: Bool {
        guard let declaredContentType, let declared = ImageFormat(declaredContentType) else { return true }
        return declared == format
    }
}
