/// Options of the WebP encoder (libwebp), for still images and animations.
public struct WebPOptions: Hashable, Sendable {
    /// Quality of lossy compression from 1 to 100; not used with ``isLossless``.
    ///
    /// With other values encoding a WebP throws `invalidArgument`.
    public var quality = 80
    /// When true, preserves every sample, except the colour of pixels with alpha 0
    /// (``preservesTransparentColors``) and the differences that ``nearLossless`` allows.
    public var isLossless = false
    /// When true, a file is lossless unless the lossy file is smaller; not used with ``isLossless``.
    ///
    /// Suitable for images with few colours, such as those of a palette: their lossless file often is the smaller one.
    /// Both files are encoded, a still image or all frames of an animation, unless their estimated work exceeds
    /// ``EncodeOptions/maxWork``; then only the lossy one. A lossless file over ``EncodeOptions/maxBytes`` is not used,
    /// and no other ``losslessLevel`` is tried for it.
    public var usesLosslessUnlessLarger = false
    /// Encoding time against file size.
    public var effort = WebPEffort.default
    /// Level of lossless compression from 0 (fastest) to 9 (smallest file); nil for that of ``effort``. Only used with
    /// ``isLossless`` and ``usesLosslessUnlessLarger``. Level 9 takes up to 25 times as long as level 8. For some
    /// images a level above 6 gives a larger file.
    ///
    /// With other values encoding a WebP throws `invalidArgument`.
    public var losslessLevel: Int?
    /// Near-lossless preprocessing from 0 (largest differences, smallest file) to 100 (none). Only used with
    /// ``isLossless``.
    ///
    /// With other values encoding a WebP throws `invalidArgument`.
    public var nearLossless = 100
    /// Quality of the alpha samples of a lossy file, from 0 (smallest file) to 100 (lossless).
    ///
    /// With other values encoding a WebP throws `invalidArgument`.
    public var alphaQuality = 100
    /// When true, a lossy encode optimizes the chroma subsampling iteratively (libwebp's "sharp YUV"): edges between
    /// saturated colours remain sharper, and the encode takes longer.
    public var usesSharpYUV = false
    /// When true, preserves the colour of pixels with alpha 0, as ``EncodedFormat/png`` does. By default the colour is
    /// replaced by values that compress better; the visible pixels are equal.
    public var preservesTransparentColors = false
    /// When true, each frame of an animation is lossy or lossless, whichever is smaller; ``isLossless`` must then be
    /// false to have an effect. Not used for still images.
    public var mixesLosslessFrames = false
    /// Maximum distance of the key frames of an animation, in frames. A key frame does not depend on earlier frames, so
    /// that a viewer can start there. 0: only the first frame is a key frame; nil: 17 with ``isLossless``, otherwise 5,
    /// as in gif2webp. Not used for still images.
    ///
    /// With negative values encoding a WebP throws `invalidArgument`.
    public var keyFrameInterval: Int?

    /// Lossy at quality 80, default effort.
    public init() {}
}

/// Encoding time against file size of a WebP. The figures are those of libwebp 1.2.4 for photographs at quality 80.
public enum WebPEffort: String, CaseIterable, Sendable {
    /// Method 2 of libwebp, lossless level 3: less than half of the time of ``default``, and in the median 7 % more
    /// bytes for equal structural similarity (SSIM).
    case fast
    /// Method 4 of libwebp, lossless level 6: the default of `cwebp`.
    case `default`
    /// Method 6 of libwebp, lossless level 8: two to three times the time of ``default``, and fewer bytes for
    /// most images.
    case small
}

extension WebPOptions {
    /// The level of lossless compression.
    var effectiveLosslessLevel: Int {
        if let losslessLevel { return losslessLevel }
        return switch effort {
        case .fast: 3
        case .default: 6
        case .small: 8
        }
    }

    /// The options of the lossless file that is compared; nil when only one file is encoded.
    var losslessAlternative: WebPOptions? {
        guard usesLosslessUnlessLarger, !isLossless else { return nil }
        var options = self
        options.isLossless = true
        options.nearLossless = 100
        return options
    }

    /// libwebp's method for lossy compression.
    var method: Int {
        switch effort {
        case .fast: 2
        case .default: 4
        case .small: 6
        }
    }
}

extension WebPOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = WebPOptions()
        var text = ChangedProperties(of: "WebPOptions")
        text.add("quality", quality, default: other.quality)
        text.add("isLossless", isLossless, default: other.isLossless)
        text.add("usesLosslessUnlessLarger", usesLosslessUnlessLarger, default: other.usesLosslessUnlessLarger)
        text.add("effort", effort, default: other.effort)
        text.add("losslessLevel", losslessLevel, default: other.losslessLevel)
        text.add("nearLossless", nearLossless, default: other.nearLossless)
        text.add("alphaQuality", alphaQuality, default: other.alphaQuality)
        text.add("usesSharpYUV", usesSharpYUV, default: other.usesSharpYUV)
        text.add(
            "preservesTransparentColors", preservesTransparentColors, default: other.preservesTransparentColors)
        text.add("mixesLosslessFrames", mixesLosslessFrames, default: other.mixesLosslessFrames)
        text.add("keyFrameInterval", keyFrameInterval, default: other.keyFrameInterval)
        return text.text
    }
}
