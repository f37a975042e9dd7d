/// How bytes become a bitmap. The defaults show a picture as a viewer does: upright, in sRGB, damaged files as far as
/// they go.
public struct DecodeOptions: Hashable, Sendable {
    /// What a decode may cost.
    public var limits = DecodeLimits()
    /// Turns the picture by its EXIF or TIFF orientation.
    public var appliesOrientation = true
    /// Converts an embedded profile (cICP, ICC, gAMA and cHRM) to sRGB. A profile that is sRGB in effect costs nothing.
    public var convertsToSRGB = true
    /// From which damage on a decode throws instead of reporting it.
    public var strictness = Strictness.lenient
    /// The formats that may be decoded; others are `unsupported`.
    public var allowedFormats = Set(ImageFormat.allCases)
    /// Throws `contentTypeMismatch` when the declared type does not name the format of the signature: `image/png` or
    /// `text/html` for a GIF. Nothing declared, or `application/octet-stream`, is no mismatch.
    public var requiresMatchingContentType = false
    /// Decodes at 1/n of width and height, rounded up. JPEG only; other formats ignore it.
    ///
    /// 1, 2, 4 or 8; with other values every call that decodes at this scale throws `invalidArgument`.
    public var scaleDenominator = 1
    /// The TIFF page to decode, from 0; other formats ignore it. One that does not exist throws `malformed`.
    ///
    /// 0 or more; with a negative page every call with these options throws `invalidArgument`.
    public var page = 0
    /// Refuses LERC and JBIG inside TIFF, two decoders that few pictures need.
    public var refusesRareCodecs = false
    /// Frames of a GIF at which counting them ends: the count of a longer one is this number. 0 for no such end.
    package var maxCountedFrames = 0 {
        willSet { precondition(newValue >= 0, "frames are counted to 0 or more") }
    }
    /// Leaves out our own ways of decoding PNG and parts of other formats: the libraries alone. For comparing the two.
    package var usesLibrariesAlone = false
    /// Of ways that give the same pixels takes the one with the least memory.
    package var usesLeastMemory = false
    /// Bytes that the budget of the decode has in all; nil for no budget. A decode that would need more sets
    /// ``usesLeastMemory``.
    package var budgetBytes: Int?

    /// As a viewer shows it, lenient, with the default limits.
    public init() {}

    /// Neither orientation nor colour conversion: the pixels of the file.
    public static var asStored: Self {
        var options = Self()
        options.appliesOrientation = false
        options.convertsToSRGB = false
        return options
    }

    /// As a viewer shows it, but any damage throws.
    public static var strict: Self {
        var options = Self()
        options.strictness = .corrupt
        return options
    }

    /// A ladder: each step fails on what the one before fails on, and on more.
    public enum Strictness: Int, Comparable, Sendable {
        /// Never: damage is reported in ``DecodedImage/status``.
        case lenient
        /// The bytes ended early.
        case truncated
        /// Or checksums, codes or structure were wrong.
        case corrupt
        /// Or anything at all was odd, an ignored profile for example.
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
