/// Options of a decode. By default the image is upright, in sRGB, and damaged files are decoded as far as possible.
public struct DecodeOptions: Hashable, Sendable {
    /// Resource limits of the decode.
    public var limits = DecodeLimits()
    /// When true, the EXIF or TIFF orientation is applied.
    public var appliesOrientation = true
    /// When true, colours are converted from the embedded colour space (cICP, ICC, or gAMA and cHRM) to sRGB. A colour
    /// space equivalent to sRGB needs no conversion.
    public var convertsToSRGB = true
    /// The least severe damage for which a decode throws; less severe damage is reported in ``DecodedImage/status``.
    public var strictness = Strictness.lenient
    /// The formats that may be decoded; other formats throw `unsupported`.
    public var allowedFormats = Set(ImageFormat.allCases)
    /// When true, throws `contentTypeMismatch` if the declared type does not match the format of the signature, such as
    /// `image/png` or `text/html` for a GIF. A missing type or `application/octet-stream` is not a mismatch.
    public var requiresMatchingContentType = false
    /// Decodes at 1/n of width and height, rounded up. JPEG only; other formats ignore it.
    ///
    /// 1, 2, 4 or 8; with other values every call that decodes at this scale throws `invalidArgument`.
    public var scaleDenominator = 1
    /// The TIFF page to decode, from 0; other formats ignore it. A page that does not exist throws `malformed`.
    ///
    /// Full-resolution images have the first numbers, in the order of the file, where the SubIFDs of an IFD follow it.
    /// Reduced-resolution images (bit 0 of NewSubfileType), and the samples of camera sensors, come after them. Page 0
    /// is thus the main image of a file whose first IFD is a thumbnail. ``ImageHeader/pages`` describes all of them.
    ///
    /// 0 or more; with a negative page every call with these options throws `invalidArgument`.
    public var page = 0
    /// When true, TIFF files with LERC or JBIG compression are rejected; few images need these decoders.
    public var refusesRareCodecs = false
    /// The content type that the sender declared, for calls without one of their own; nil for none. The signature of
    /// the bytes takes precedence.
    package var declaredContentType: ContentType?
    /// Maximum of the reported GIF frame count: counting stops at this number. 0 means no maximum.
    package var maxCountedFrames = 0 {
        willSet { precondition(newValue >= 0, "maxCountedFrames must be 0 or more") }
    }
    /// When true, PNG, TIFF with LZW compression, and baseline JPEG at scale 1/4 or 1/8 are decoded by their C
    /// libraries only, for comparison with the decoders of this package.
    package var usesLibrariesAlone = false
    /// When true, selects the decoder that needs the least memory among those that return equal pixels.
    package var usesLeastMemory = false
    /// Maximum bytes of the ``DecodeBudget`` from which the decode reserves memory; nil for no budget. A PNG decode
    /// that needs more uses the decoder of ``usesLeastMemory``.
    package var budgetBytes: Int?

    /// Display defaults: upright, sRGB, lenient, with the default limits.
    public init() {}

    /// The pixels as stored in the file: no orientation, no colour conversion.
    public static var asStored: Self {
        var options = Self()
        options.appliesOrientation = false
        options.convertsToSRGB = false
        return options
    }

    /// The defaults, except that any damage throws.
    public static var strict: Self {
        var options = Self()
        options.strictness = .corrupt
        return options
    }

    /// Severity of damage for which a decode throws. Each level includes all damage of the previous levels.
    public enum Strictness: Int, Comparable, Sendable {
        /// Does not throw for damage; ``DecodedImage/status`` reports the damage.
        case lenient
        /// Throws when the file is truncated.
        case truncated
        /// Also throws when checksums, codes or structure are wrong.
        case corrupt
        /// Also throws for every warning, for example for an ignored colour profile.
        case warning

        /// True when `a` allows more damage than `b`.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }
}

extension DecodeOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line. Nothing depends on this text; see ``cacheVariant``.
    public var description: String {
        let other = DecodeOptions()
        var text = ChangedProperties(of: "DecodeOptions")
        text.add("limits", limits, default: other.limits)
        text.add("appliesOrientation", appliesOrientation, default: other.appliesOrientation)
        text.add("convertsToSRGB", convertsToSRGB, default: other.convertsToSRGB)
        text.add("strictness", strictness, default: other.strictness)
        let formats = allowedFormats.map { "\($0)" }.sorted().joined(separator: ", ")
        text.add("allowedFormats", text: allowedFormats == other.allowedFormats ? nil : "[\(formats)]")
        text.add(
            "requiresMatchingContentType", requiresMatchingContentType, default: other.requiresMatchingContentType)
        text.add("scaleDenominator", scaleDenominator, default: other.scaleDenominator)
        text.add("page", page, default: other.page)
        text.add("refusesRareCodecs", refusesRareCodecs, default: other.refusesRareCodecs)
        text.add("usesLibrariesAlone", usesLibrariesAlone, default: other.usesLibrariesAlone)
        return text.text
    }
}

extension DecodeOptions {
    /// - Throws: `invalidArgument` when ``scaleDenominator`` or ``page`` is out of its range.
    package func check() throws(DecodeError) {
        guard [1, 2, 4, 8].contains(scaleDenominator) else {
            throw .invalidArgument("scaleDenominator", "\(scaleDenominator)", allowed: "1, 2, 4, 8")
        }
        try DecodeError.check(page, "page", isIn: 0 ... .max)
    }
}
