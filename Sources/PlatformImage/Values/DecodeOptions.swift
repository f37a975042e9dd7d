/// Options of a decode. By default the image is upright, in sRGB, and damaged files are decoded as far as possible.
public struct DecodeOptions: Hashable, Sendable {
    /// Resource limits of the decode.
    public var limits = DecodeLimits()
    /// Applies the EXIF or TIFF orientation.
    public var appliesOrientation = true
    /// Converts the embedded colour profile (cICP, ICC, or gAMA and cHRM) to sRGB. A profile equivalent to sRGB costs
    /// nothing.
    public var convertsToSRGB = true
    /// The least severe damage that makes a decode throw instead of reporting it.
    public var strictness = Strictness.lenient
    /// The formats that may be decoded; others are `unsupported`.
    public var allowedFormats = Set(ImageFormat.allCases)
    /// Throws `contentTypeMismatch` when the declared type is not the format of the signature: `image/png` or
    /// `text/html` for a GIF. A missing type or `application/octet-stream` is not a mismatch.
    public var requiresMatchingContentType = false
    /// Decodes at 1/n of width and height, rounded up. JPEG only; other formats ignore it.
    ///
    /// 1, 2, 4 or 8; with other values every call that decodes at this scale throws `invalidArgument`.
    public var scaleDenominator = 1
    /// The TIFF page to decode, from 0; other formats ignore it. A page that does not exist throws `malformed`.
    ///
    /// 0 or more; with a negative page every call with these options throws `invalidArgument`.
    public var page = 0
    /// Rejects TIFF files with LERC or JBIG compression, two decoders that few images need.
    public var refusesRareCodecs = false
    /// Upper bound of the GIF frame count: counting stops there and reports this number. 0 means no bound.
    package var maxCountedFrames = 0 {
        willSet { precondition(newValue >= 0, "maxCountedFrames must be 0 or more") }
    }
    /// Disables this package's decode paths for PNG and parts of other formats: libraries only. For comparing the two.
    package var usesLibrariesAlone = false
    /// Selects the path with the least memory among those that produce the same pixels.
    package var usesLeastMemory = false
    /// Total bytes of the decode's budget; nil for no budget. A PNG decode that needs more sets ``usesLeastMemory``.
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

    /// As the defaults, but any damage throws.
    public static var strict: Self {
        var options = Self()
        options.strictness = .corrupt
        return options
    }

    /// Severity of damage that makes a decode throw. Each level includes the levels before it.
    public enum Strictness: Int, Comparable, Sendable {
        /// Never throws for damage: it is reported in ``DecodedImage/status``.
        case lenient
        /// Throws when the bytes end early.
        case truncated
        /// Also throws when checksums, codes or structure are wrong.
        case corrupt
        /// Also throws for every warning, an ignored profile for example.
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
