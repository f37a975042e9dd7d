/// Options of the GIF encoder, for still images and animations.
///
/// An image with no more colours than ``maxColors`` is stored losslessly and never dithered. GIF has no partial
/// transparency: pixels with an alpha of 128 or more become opaque, all others transparent. A transparent colour, which
/// most animations need too, is one of the colours.
public struct GIFOptions: Hashable, Sendable {
    /// Maximum number of colours of a palette, 2 to 256.
    ///
    /// With other values encoding a GIF throws `invalidArgument`.
    public var maxColors = 256
    /// Method that represents the colours between those of the palette.
    public var dither = GIFDither.floydSteinberg
    /// Palettes of an animation.
    public var palette = GIFPalette.shared

    /// 256 colours, Floyd-Steinberg dithering, one palette.
    public init() {}
}

/// Dithering of a GIF: patterns of the palette's colours in place of missing colours.
public enum GIFDither: String, CaseIterable, Sendable {
    /// Every pixel gets the nearest colour. The smallest files with the highest PSNR, but gradients show bands.
    case none
    /// Bayer's 8 x 8 matrix, with an amplitude that depends on the distances in the palette. A regular pattern that
    /// does not move when the frames of an animation change.
    case ordered
    /// Error diffusion by Floyd and Steinberg, with rows in alternating directions. Gradients look smooth, at 5 to 70 %
    /// more bytes than ``none``.
    case floydSteinberg
}

/// Palettes of the frames of an animated GIF. If all frames together have no more colours than
/// ``GIFOptions/maxColors``, all frames use one exact palette in both cases.
public enum GIFPalette: String, CaseIterable, Sendable {
    /// All frames use one palette. Colours do not change between frames, and files are 5 to 45 % smaller.
    case shared
    /// Each frame has a palette for the pixels that it changes. Useful when the scene changes: the PSNR is then up to
    /// 4 dB higher, otherwise by less than 1 dB.
    case perFrame
}

extension GIFOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = GIFOptions()
        var text = ChangedProperties(of: "GIFOptions")
        text.add("maxColors", maxColors, default: other.maxColors)
        text.add("dither", dither, default: other.dither)
        text.add("palette", palette, default: other.palette)
        return text.text
    }
}
